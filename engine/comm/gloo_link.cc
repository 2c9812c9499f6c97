#include "engine/comm/gloo_link.h"

#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gloo/rendezvous/store.h"
#include "gloo/transport/tcp/device.h"

namespace zs {
namespace {

constexpr std::chrono::milliseconds kWatchPeriod(250);
// How often in a row the watch finds a peer gone before it ends a wait: a peer
// that has ended in good order has sent all that others wait for.
constexpr int kWatchStrikes = 4;
constexpr uint64_t kProbeSlot = ~uint64_t{0};
// How long the word of a peer that seems to be gone is waited for, and how long
// rank 0, which keeps the words, stays for those whom the watch tells last.
constexpr double kWordWaitS = 0.5;
constexpr double kKeepWordsS = 1.2;
constexpr std::chrono::milliseconds kWordPoll(20);

// Our store as Gloo sees one. Throws what Connect catches.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(zs::Store& store, Deadline deadline)
      : store_(store), deadline_(deadline) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    Check(store_.Set("gloo/" + key, {data.data(), data.size()}, deadline_));
  }
  std::vector<char> get(const std::string& key) override {
    const Result<std::string> value = store_.Get("gloo/" + key, deadline_);
    Check(value.status());
    return {value->begin(), value->end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) {
      get(key);
    }
  }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  static void Check(const Status& status) {
    if (!status.ok()) {
      throw std::runtime_error(status.message());
    }
  }

  zs::Store& store_;
  const Deadline deadline_;
};

}  // namespace

GlooLink::GlooLink(Rendezvous& rendezvous, double timeout_s)
    : rendezvous_(rendezvous),
      timeout_(static_cast<int64_t>(timeout_s * 1e3)) {}

GlooLink::~GlooLink() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (watch_.joinable()) {
    watch_.join();
  }
}

Result<std::unique_ptr<GlooLink>> GlooLink::Connect(Rendezvous& rendezvous,
                                                    double timeout_s) {
  std::unique_ptr<GlooLink> link(new GlooLink(rendezvous, timeout_s));
  try {
    link->Open();
  } catch (const std::exception& e) {
    return UnavailableError(
        "rank " + std::to_string(rendezvous.env().rank) +
        " cannot connect to the other ranks (GLOO_SOCKET_IFNAME chooses the "
        "network interface): " +
        e.what());
  }
  return link;
}

void GlooLink::Open() {
  const RankEnvironment& env = rendezvous_.env();
  gloo::transport::tcp::attr attributes;
  attributes.iface = env.interface;
  if (env.interface.empty()) {
    const Result<std::string> address =
        AddressTowards(env.master_addr, env.master_port);
    if (!address.ok()) {
      throw std::runtime_error(address.status().message());
    }
    attributes.hostname = *address;
  }
  device_ = gloo::transport::tcp::CreateDevice(attributes);
  context_ =
      std::make_shared<gloo::rendezvous::Context>(env.rank, env.world_size);
  context_->setTimeout(timeout_);
  GlooStore store(rendezvous_.store(), DeadlineIn(timeout_.count() * 1e-3));
  context_->connectFullMesh(store, device_);
  probes_.reserve(env.world_size);
  for (int peer = 0; peer < env.world_size; ++peer) {
    probes_.push_back(Map(peer, &probe_byte_, 1));
    if (peer != env.rank) {
      Receive(probes_[peer], kProbeSlot, 1);
    }
  }
  watch_ = std::thread([this] { Watch(); });
}

void GlooLink::Send(GlooBuffer& buffer, uint64_t slot, size_t offset,
                    size_t bytes) {
  talking_to_ = buffer.peer();
  buffer.gloo().send(buffer.peer(), slot, offset, bytes);
}

void GlooLink::Receive(GlooBuffer& buffer, uint64_t slot, size_t bytes) {
  talking_to_ = buffer.peer();
  buffer.gloo().recv(buffer.peer(), slot, 0, bytes);
}

void GlooLink::WaitSend(GlooBuffer& buffer) {
  Wait(buffer, false);
}
void GlooLink::WaitReceive(GlooBuffer& buffer) {
  Wait(buffer, true);
}

void GlooLink::Wait(GlooBuffer& buffer, bool receive) {
  talking_to_ = buffer.peer();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_ = &buffer;
    waiting_receive_ = receive;
  }
  // Whatever happens below, the watch must not keep the buffer's address.
  struct Clear {
    GlooLink& link;
    ~Clear() {
      const std::lock_guard<std::mutex> lock(link.mutex_);
      link.waiting_ = nullptr;
    }
  } const clear{*this};
  const bool completed = receive ? buffer.gloo().waitRecv(nullptr, timeout_)
                                 : buffer.gloo().waitSend(nullptr, timeout_);
  if (!completed) {
    talking_to_ = FirstClosed();
    throw std::runtime_error("connection closed");
  }
}

// Whether the connection to PEER is gone. The probe's receive, which no peer
// ever answers, fails when its connection does; an abort that comes first makes
// the wait for it return at once.
bool GlooLink::Closed(int peer) {
  const std::lock_guard<std::mutex> lock(probe_mutex_);
  try {
    probes_[peer].gloo().abortWaitRecv();
    (void)probes_[peer].gloo().waitRecv(nullptr, timeout_);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

int GlooLink::FirstClosed() {
  for (int peer = 0; peer < context_->size; ++peer) {
    if (peer != context_->rank && Closed(peer)) {
      return peer;
    }
  }
  return -1;
}

void GlooLink::Watch() {
  int strikes = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, kWatchPeriod, [this] { return stop_; })) {
    strikes = waiting_ != nullptr && FirstClosed() >= 0 ? strikes + 1 : 0;
    if (strikes < kWatchStrikes) {
      continue;
    }
    if (waiting_receive_) {
      waiting_->gloo().abortWaitRecv();
    } else {
      waiting_->gloo().abortWaitSend();
    }
  }
}

Status GlooLink::Run(const char* what, const std::function<void()>& operation) {
  try {
    operation();
    return OkStatus();
  } catch (const std::exception& e) {
    return Lost(what, e.what());
  }
}

// The rank that this one blames. Gloo closes every connection after a timeout,
// so that only a close seen before one tells anything.
int GlooLink::Blamed(bool silent) {
  int blamed = talking_to_;
  for (int peer = 0; peer < context_->size && !silent; ++peer) {
    if (peer != context_->rank && Closed(peer)) {
      blamed = peer;
    }
  }
  return blamed;
}

// What the others said, by rank. A peer that ends because of another one says
// so, and that other one is the cause: its word is waited for.
std::string GlooLink::WordsOfOthers(int blamed) {
  const Deadline keep = DeadlineIn(kKeepWordsS);
  const Deadline deadline = DeadlineIn(kWordWaitS);
  std::map<int, std::string> said;
  while (MillisecondsUntil(deadline) > 0 && !said.contains(blamed)) {
    for (int peer = 0; peer < context_->size; ++peer) {
      if (peer != context_->rank && !said.contains(peer)) {
        if (auto word = rendezvous_.WordOf(peer, deadline); word.has_value()) {
          said.emplace(peer, *std::move(word));
        }
      }
    }
    std::this_thread::sleep_for(kWordPoll);
  }
  std::string words;
  for (const auto& [peer, word] : said) {
    words += "; rank " + std::to_string(peer) + " said: " + word;
  }
  if (context_->rank == 0) {
    std::this_thread::sleep_until(keep);
  }
  return words;
}

Status GlooLink::Lost(const char* what, const std::string& cause) {
  const bool silent = cause.find("Timed out") != std::string::npos;
  const int blamed = Blamed(silent);
  const std::string first =
      std::string(what) + ": " +
      (silent ? "no answer within " + std::to_string(timeout_.count()) +
                    " ms from rank "
              : "lost the connection to rank ") +
      std::to_string(blamed);
  // Before the others' words are waited for: they may wait for this one.
  rendezvous_.LeaveWord(first);
  const std::string message =
      first + WordsOfOthers(blamed) + " (see that rank's output)";
  return silent ? DeadlineExceededError(message) : UnavailableError(message);
}

}  // namespace zs
