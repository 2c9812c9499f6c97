// The one place that talks to Gloo: messages between ranks over TCP, with
// Gloo's exceptions turned into statuses that name a rank.
#ifndef ENGINE_COMM_GLOO_LINK_H_
#define ENGINE_COMM_GLOO_LINK_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "engine/comm/rendezvous.h"
#include "gloo/rendezvous/context.h"
#include "gloo/transport/unbound_buffer.h"

namespace zs {

// Memory towards one peer. Several sends or one receive may be under way on it.
class GlooBuffer {
 public:
  GlooBuffer(gloo::Context& context, int peer, void* data, size_t bytes)
      : peer_(peer), buffer_(context.createUnboundBuffer(data, bytes)) {}

  int peer() const { return peer_; }
  gloo::transport::UnboundBuffer& gloo() { return *buffer_; }

 private:
  int peer_;
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
};

// A full mesh of connections. Send, Receive and the waits throw, and are called
// within Run, from one thread. A peer whose connection closes ends a wait for
// any other after a second, because that other may be waiting for it too.
class GlooLink {
 public:
  // Connects all ranks of RENDEZVOUS, which must outlive the link.
  static Result<std::unique_ptr<GlooLink>> Connect(Rendezvous& rendezvous,
                                                   double timeout_s);
  ~GlooLink();

  // Runs OPERATION; the status tells which rank was lost in it, why, and what
  // that rank said last. WHAT names the operation.
  Status Run(const char* what, const std::function<void()>& operation);

  GlooBuffer Map(int peer, void* data, size_t bytes) {
    return {*context_, peer, data, bytes};
  }
  void Send(GlooBuffer& buffer, uint64_t slot, size_t offset, size_t bytes);
  void Receive(GlooBuffer& buffer, uint64_t slot, size_t bytes);
  void WaitSend(GlooBuffer& buffer);
  void WaitReceive(GlooBuffer& buffer);

 private:
  GlooLink(Rendezvous& rendezvous, double timeout_s);
  void Open();
  void Watch();
  bool Closed(int peer);
  int FirstClosed();
  void Wait(GlooBuffer& buffer, bool receive);
  int Blamed(bool silent);
  std::string WordsOfOthers(int blamed);
  Status Lost(const char* what, const std::string& cause);

  Rendezvous& rendezvous_;
  const std::chrono::milliseconds timeout_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::rendezvous::Context> context_;
  char probe_byte_ = 0;
  std::mutex probe_mutex_;
  std::vector<GlooBuffer> probes_;  // one a peer: a receive that never ends
  int talking_to_ = -1;             // the peer of the present call

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  GlooBuffer* waiting_ = nullptr;  // what the other thread waits for
  bool waiting_receive_ = false;
  std::thread watch_;
};

}  // namespace zs

#endif  // ENGINE_COMM_GLOO_LINK_H_
