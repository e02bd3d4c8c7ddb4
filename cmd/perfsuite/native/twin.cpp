// The native twin of perfsuite: the same streams on malloc, in standard
// C++ with libstdc++. It takes an order and answers with an outcome, as a child
// process of Go does (package turn), and makes its runs by the same rules.
//
//   demands.h     what the compiler must bring
//   heap.h        plain and counted ways to malloc
//   numbers.h     random numbers and checksums
//   strings.h, containers.h, blocks.h, streams.h   the workloads
//   tape.h        recorded streams
//   crowd.h       many blocks that live at a time
//   process.h     resident memory, and whose malloc this is
#include "demands.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "crowd.h"
#include "process.h"
#include "streams.h"

// The first run of a turn that takes more than slow_seconds is followed by fewer
// others, as in package turn.
constexpr long slow_runs = 3;
constexpr double slow_seconds = 1.0;

constexpr long most_runs = 100;

[[noreturn]] void fail(const char* why) {
    std::fprintf(stderr, "%s\n", why);
    std::exit(1);
}

struct Order {
    long test, runs;
    Bench bench;
    Crowd crowd;  // to be held instead, if it has blocks
};

// field returns the number of a key in the order. The order is JSON, but flat and
// perfsuite's own: it has each key once, and no space.
long field(const char* order, const char* key) {
    const auto pattern = std::string("\"") + key + "\":";
    const char* at = std::strstr(order, pattern.c_str());
    if (at == nullptr) fail("the order lacks a number");
    return std::strtol(at + pattern.size(), nullptr, 10);
}

// text_field returns the text of a key in the order, or nothing if it is not there.
// The one text that matters is the path of a tape.
std::string text_field(const char* order, const char* key) {
    const auto pattern = std::string("\"") + key + "\":\"";
    const char* at = std::strstr(order, pattern.c_str());
    if (at == nullptr) return {};
    at += pattern.size();
    const std::string text(at, std::strcspn(at, "\""));
    if (text.find('\\') != std::string::npos) fail("the tape's path has characters that JSON escapes; set TMPDIR to a plainer one");
    return text;
}

Order read_order() {
    const char* text = std::getenv("COOKMEM_PERFSUITE_ORDER");
    if (text == nullptr) fail("no order: perfsuite -native runs this program");
    Order o{field(text, "test"), field(text, "runs"), {}, {}};
    o.bench.scale = static_cast<std::size_t>(std::max(1L, field(text, "scale")));
    const auto size = [text](const char* key) { return static_cast<std::size_t>(std::max(0L, field(text, key))); };
    o.crowd = {size("live"), size("rounds"), size("replace")};
    if (o.crowd.live != 0) return o;
    if (o.runs < 1 || o.runs > most_runs) fail("the order has no possible number of runs");
    if (const auto path = text_field(text, "tape"); !path.empty()) load_tape(path.c_str());
    return o;
}

struct Outcome {
    double seconds[most_runs];
    long runs = 0;
    std::uint64_t checksum = 0;
    Counts counts;
    long long first_growth = 0, growth = 0;  // of the resident set, bytes
    Phases phases;
};

double time_run(Stream stream, const Bench& bench, std::uint64_t& sum) {
    const auto start = std::chrono::steady_clock::now();
    sum = stream(bench);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void time_runs(const Order& order, Outcome& out) {
    const auto ready = resident();
    long runs = order.runs;
    for (long i = 0; i < runs; i++) {
        std::uint64_t sum;
        out.seconds[i] = time_run(stream<Plain>(order.test), order.bench, sum);
        if (i == 0) {
            out.checksum = sum;
            out.first_growth = std::max(0LL, resident().peak - ready.current);
            if (out.seconds[0] > slow_seconds) runs = std::min(runs, slow_runs);
        }
        if (sum != out.checksum) fail("a run read back other data than the first one");
    }
    out.runs = runs;
    out.growth = std::max(0LL, resident().peak - ready.current);
}

// count_run makes the run that counts the requests, after all that is measured.
void count_run(const Order& order, Outcome& out) {
    const Stream counted = stream<Counted>(order.test);
    Counted::counts = {};
    if (counted(order.bench) != out.checksum) fail("the counted run read back other data than the timed ones");
    out.counts = Counted::counts;
}

// hold makes the rounds of a crowd, the sum of which is one run.
void hold(const Crowd& crowd, Outcome& out) {
    Holder holder(crowd);
    touch_files();
    const auto ready = resident();
    const auto growth = [&ready] { return std::max(0LL, resident().peak - ready.current); };
    for (std::size_t round = 0; round < crowd.rounds; round++) {
        const auto sum = holder.time_round(out.phases, [&] {
            if (round == 0) out.first_growth = growth();
        });
        out.checksum = mix(out.checksum, sum);
    }
    out.growth = growth();
    out.counts = holder.counts();
    out.seconds[0] = out.phases.fill + out.phases.replace + out.phases.release;
    out.runs = 1;
}

void print(const Outcome& out) {
    std::printf("{\"seconds\":[");
    for (long i = 0; i < out.runs; i++) std::printf("%s%.9f", i == 0 ? "" : ",", out.seconds[i]);
    const Counts& c = out.counts;
    std::printf("],\"drop\":null,\"peak\":null,\"counts\":{\"allocs\":%lld,\"reallocs\":%lld,\"frees\":%lld,\"bytes\":%lld}", c.allocs,
                c.reallocs, c.frees, c.bytes);
    std::printf(",\"checksum\":%llu,\"first_rss\":%lld,\"rss\":%lld", static_cast<unsigned long long>(out.checksum),
                out.first_growth, out.growth);
    const Phases& p = out.phases;
    if (p.fill != 0) std::printf(",\"phases\":{\"fill\":%.9f,\"replace\":%.9f,\"free\":%.9f}", p.fill, p.replace, p.release);
    std::printf("}\n");
}

int main() {
    std::signal(SIGINT, SIG_IGN);  // the parent's to handle
    const Order order = read_order();
    check_malloc();
    Outcome out;
    if (order.crowd.live != 0) {
        hold(order.crowd, out);
        print(out);
        return 0;
    }
    if (stream<Plain>(order.test) == nullptr) fail("the order names no test");
    touch_tables();
    touch_files();
    time_runs(order, out);
    count_run(order, out);
    print(out);
}
