#include "engine/comm/store.h"

#include "engine/comm/store_protocol.h"

namespace zs {

using store::AppendU32;
using store::ReadU32;

Result<std::unique_ptr<Store>> Store::Connect(const std::string& host, int port,
                                              std::string_view token,
                                              Deadline deadline) {
  if (token.size() > store::kMaxToken) {
    return InvalidArgumentError("the token has more than " +
                                std::to_string(store::kMaxToken) + " bytes");
  }
  std::unique_ptr<Store> result(new Store(host, port, token));
  RETURN_IF_ERROR(result->Open(deadline));
  return result;
}

Status Store::Open(Deadline deadline) {
  ASSIGN_OR_RETURN(fd_, ConnectTcp(host_, port_, deadline));
  std::string hello(store::kMagic);
  AppendU32(hello, token_.size());
  hello += token_;
  Status sent = SendAll(fd_.get(), hello, deadline);
  char answer = 0;
  if (sent.ok()) {
    sent = ReceiveAll(fd_.get(), &answer, 1, deadline);
  }
  if (sent.ok() && answer == store::kDone) {
    return OkStatus();
  }
  fd_.Reset();
  const std::string where = host_ + ":" + std::to_string(port_);
  if (sent.code() == StatusCode::kDeadlineExceeded) {
    return sent.WithContext("rendezvous at " + where);
  }
  return {StatusCode::kPermissionDenied,
          "rendezvous at " + where +
              ": whoever listens there does not accept this rank; another "
              "run or program holds the port, or ZS_RENDEZVOUS_TOKEN differs"};
}

Result<Store::Reply> Store::AskOnce(const std::string& request,
                                    Deadline deadline) {
  if (!fd_.valid()) {
    RETURN_IF_ERROR(Open(deadline));
  }
  RETURN_IF_ERROR(SendAll(fd_.get(), request, deadline));
  char head[5];
  RETURN_IF_ERROR(ReceiveAll(fd_.get(), head, sizeof head, deadline));
  const uint32_t size = ReadU32({head + 1, 4});
  if (size > store::kMaxValue) {
    return UnavailableError("the store's reply is no reply of ours");
  }
  Reply reply = {head[0], std::string(size, '\0')};
  RETURN_IF_ERROR(ReceiveAll(fd_.get(), reply.value.data(), size, deadline));
  return reply;
}

Result<Store::Reply> Store::Ask(char op, std::string_view key,
                                std::string_view value, Deadline deadline) {
  std::string request(1, op);
  AppendU32(request, key.size());
  AppendU32(request, value.size());
  request.append(key).append(value);
  const std::lock_guard<std::mutex> lock(mutex_);
  Result<Reply> reply = AskOnce(request, deadline);
  if (!reply.ok()) {
    fd_.Reset();  // a late reply must not answer the next request
    return reply.status().WithContext("rendezvous key " + std::string(key));
  }
  return reply;
}

Status Store::Set(std::string_view key, std::string_view value,
                  Deadline deadline) {
  if (key.size() > store::kMaxKey || value.size() > store::kMaxValue) {
    return InvalidArgumentError("rendezvous: key or value is too long");
  }
  ASSIGN_OR_RETURN(const Reply reply, Ask(store::kSet, key, value, deadline));
  if (reply.status == store::kOther) {
    return AlreadyExistsError("rendezvous key " + std::string(key) +
                              " is set already");
  }
  return OkStatus();
}

Result<std::string> Store::Get(std::string_view key, Deadline deadline) {
  ASSIGN_OR_RETURN(Reply reply, Ask(store::kGet, key, "", deadline));
  return std::move(reply.value);
}

Result<std::optional<std::string>> Store::TryGet(std::string_view key,
                                                 Deadline deadline) {
  ASSIGN_OR_RETURN(Reply reply, Ask(store::kTryGet, key, "", deadline));
  if (reply.status == store::kUnset) {
    return std::optional<std::string>();
  }
  return std::optional<std::string>(std::move(reply.value));
}

}  // namespace zs
