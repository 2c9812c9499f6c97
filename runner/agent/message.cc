#include "runner/agent/message.h"

#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zs {
namespace {

// Calls FIELD with each field of MESSAGE in the order of the wire; the one
// description by which messages are written and read.
template <typename F>
void Fields(OpenMsg& m, F field) {
  field(m.lease_ms);
  field(m.received);
}
template <typename F>
void Fields(LeaseMsg& m, F field) {
  field(m.lease_ms);
  field(m.grace_ms);
}
template <typename F>
void Fields(ByeMsg& m, F field) {
  field(m.reserved);
}
template <typename F>
void Fields(StartMsg& m, F field) {
  field(m.id);
  field(m.token);
  field(m.cwd);
  field(m.argv);
  field(m.env);
  field(m.login_shell);
  field(m.limits);
}
template <typename F>
void Fields(SignalMsg& m, F field) {
  field(m.id);
  field(m.signal);
}
template <typename F>
void Fields(StopMsg& m, F field) {
  field(m.grace_ms);
  field(m.token);
}
template <typename F>
void Fields(PingMsg& m, F field) {
  field(m.seq);
  field(m.received);
}
template <typename F>
void Fields(QueryMsg& m, F field) {
  field(m.seq);
  field(m.name);
  field(m.args);
}
template <typename F>
void Fields(GreetingMsg& m, F field) {
  field(m.pid);
  field(m.host);
  field(m.boot_id);
  field(m.containment);
  field(m.received);
}
template <typename F>
void Fields(StartedMsg& m, F field) {
  field(m.id);
  field(m.pid);
  field(m.unix_us);
  field(m.in_effect);
}
template <typename F>
void Fields(StartFailedMsg& m, F field) {
  field(m.id);
  field(m.why);
}
template <typename F>
void Fields(OutputMsg& m, F field) {
  field(m.id);
  field(m.stream);
  field(m.unix_us);
  field(m.dropped_bytes);
  field(m.bytes);
}
template <typename F>
void Fields(ExitedMsg& m, F field) {
  field(m.id);
  field(m.code);
  field(m.signal);
  field(m.phase);
  field(m.oom_kills);
  field(m.unix_us);
  field(m.user_cpu_us);
  field(m.system_cpu_us);
  field(m.peak_rss_bytes);
  field(m.host_busy_cpu_us);
  field(m.host_all_cpu_us);
}
template <typename F>
void Fields(StoppedMsg& m, F field) {
  field(m.left_over);
  field(m.killed);
  field(m.left);
  field(m.shm_removed);
  field(m.shm_left_bytes);
  field(m.note);
}
template <typename F>
void Fields(PongMsg& m, F field) {
  field(m.seq);
  field(m.unix_us);
  field(m.received);
}
template <typename F>
void Fields(AnswerMsg& m, F field) {
  field(m.seq);
  field(m.ok);
  field(m.text);
}
template <typename F>
void Fields(NoteMsg& m, F field) {
  field(m.text);
}

// Appends fields.
class Writer {
 public:
  void operator()(int64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) {
      bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    }
    out_.append(bytes, sizeof bytes);
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<int64_t>(text.size()));
    out_ += text;
  }
  void operator()(const std::vector<std::string>& list) {
    (*this)(static_cast<int64_t>(list.size()));
    for (const std::string& text : list) {
      (*this)(text);
    }
  }

  const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

// Takes fields off the front of a payload; after the first that is not there
// all are empty and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  void operator()(int64_t& value) {
    if (rest_.size() < 8) {
      Fail();
      return;
    }
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
      bits |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i]))
              << (8 * i);
    }
    value = static_cast<int64_t>(bits);
    rest_.remove_prefix(8);
  }
  void operator()(std::string& text) {
    const size_t size = Length(1);
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  void operator()(std::vector<std::string>& list) {
    // Each element takes 8 bytes at least, which bounds what is reserved.
    const size_t size = Length(8);
    list.resize(size);
    for (std::string& text : list) {
      (*this)(text);
    }
  }

  bool whole() const { return ok_ && rest_.empty(); }

 private:
  // A length of elements of at least UNIT bytes that the rest can hold.
  size_t Length(size_t unit) {
    int64_t size = 0;
    (*this)(size);
    if (size < 0 || static_cast<uint64_t>(size) > rest_.size() / unit) {
      Fail();
      return 0;
    }
    return static_cast<size_t>(size);
  }
  void Fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

template <size_t... I>
Result<Message> ParseAs(size_t index, std::string_view payload,
                        std::index_sequence<I...>) {
  Message message;
  bool whole = false;
  const auto parse = [&](auto parsed) {
    Reader reader(payload);
    Fields(parsed, [&reader](auto& field) { reader(field); });
    whole = reader.whole();
    message = std::move(parsed);
  };
  ((index == I ? parse(std::variant_alternative_t<I, Message>()) : void()),
   ...);
  if (!whole) {
    return DataLossError("a damaged message of type " +
                         std::to_string(index + 1));
  }
  return message;
}

constexpr size_t kTypes = std::variant_size_v<Message>;

}  // namespace

bool IsNumbered(const Message& message) {
  return !std::holds_alternative<OpenMsg>(message) &&
         !std::holds_alternative<GreetingMsg>(message) &&
         !std::holds_alternative<PingMsg>(message) &&
         !std::holds_alternative<PongMsg>(message);
}

Status AppendMessage(const Message& message, std::string& out) {
  Writer writer;
  std::visit(
      [&writer](const auto& m) {
        // Fields serves readers too and so asks for a mutable message.
        Fields(const_cast<std::decay_t<decltype(m)>&>(m),
               [&writer](auto& field) { writer(field); });
      },
      message);
  if (writer.bytes().size() > kMaxPayloadBytes) {
    return {StatusCode::kOutOfRange,
            "a message of " + std::to_string(writer.bytes().size()) +
                " bytes; arguments, environment and folder of a process may "
                "have " +
                std::to_string(kMaxPayloadBytes) + " together"};
  }
  // A message's type is its place in the variant, from 1.
  AppendFrame(static_cast<uint8_t>(message.index() + 1), writer.bytes(), out);
  return OkStatus();
}

Result<Message> ParseMessage(const Frame& frame) {
  if (frame.type == 0 || frame.type > kTypes) {
    return DataLossError("a message of unknown type " +
                         std::to_string(frame.type));
  }
  return ParseAs(frame.type - 1U, frame.payload,
                 std::make_index_sequence<kTypes>());
}

}  // namespace zs
