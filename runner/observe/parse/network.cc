#include "runner/observe/parse/network.h"

#include <string_view>

#include "runner/observe/text/cursor.h"

namespace zs {

size_t ParseConnection(const LogLine& line, size_t at, ObservationSink& sink) {
  Cursor cursor(line.text.substr(at + 5));
  int64_t queue = 0;
  TcpConnection connection;
  if (!cursor.TakeNumber(queue) || !cursor.TakeNumber(queue)) {
    return at;
  }
  const std::string_view local = cursor.TakeWord();
  const std::string_view peer = cursor.TakeWord();
  connection.local = local.substr(0, local.rfind(':'));
  connection.peer = peer.substr(0, peer.rfind(':'));
  if (connection.local.empty() || connection.peer.empty()) {
    return at;
  }
  sink.Take(line, connection);
  return line.text.size();
}

}  // namespace zs
