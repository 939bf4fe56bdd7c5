// Two players, random play: draw (specs/draw.dom) and petkove (specs/petkove.dom) as one would write them by hand.
//
//   reference GAME trace FIRST LAST SEED   a line for every match: winners (a mask), rounds, moves, digest
//   reference GAME count FIRST LAST SEED   what `dom simulate` counts of all of them, and the CPU seconds it took
//
// Match (seed, index) is the same match as in every engine of domrules: chance and digest are those of
// interpreter/chance.py, and moves stand in the same order. A set of tiles is a mask: 0|0 is bit 0, 6|6 is bit 27.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#ifdef __BMI2__
#include <immintrin.h>
#endif

using Tiles = std::uint32_t;
using Word = std::uint64_t;

constexpr int TILES = 28, NUMBERS = 7, NOTHING = NUMBERS, NOBODY = -1, DEALT = 7;
constexpr Tiles ALL = (1u << TILES) - 1;

struct Set {
    std::array<int, TILES> low{}, high{}, pips{};
    std::array<Tiles, NUMBERS + 1> with{};  // the tiles with a number; none have NOTHING
};

constexpr Set make_set() {
    Set set;
    int tile = 0;
    for (int low = 0; low < NUMBERS; ++low)
        for (int high = low; high < NUMBERS; ++high, ++tile) {
            set.low[tile] = low;
            set.high[tile] = high;
            set.pips[tile] = low + high;
            set.with[low] |= 1u << tile;
            set.with[high] |= 1u << tile;
        }
    return set;
}

constexpr Set SET = make_set();

bool is_double(int tile) { return SET.low[tile] == SET.high[tile]; }
int far(int tile, int number) { return SET.pips[tile] - number; }
int size(Tiles set) { return __builtin_popcount(set); }
int least(Tiles set) { return __builtin_ctz(set); }

// The k-th tile of a set that has more than k, as a set.
Tiles kth(Tiles set, int k) {
#ifdef __BMI2__
    return _pdep_u32(1u << k, set);
#else
    for (; k > 0; --k) set &= set - 1;
    return set & -set;
#endif
}

int total(Tiles hand) {
    int sum = 0;
    for (; hand; hand &= hand - 1) sum += SET.pips[least(hand)];
    return sum;
}

// ---------------------------------------------------------------- chance

Word mix(Word z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

struct Chance {
    static constexpr Word GOLDEN = 0x9E3779B97F4A7C15;
    Word s0, s1;

    Chance(Word seed, Word index) {
        const Word state = (mix(seed + GOLDEN) ^ index) + GOLDEN;
        s0 = mix(state);
        s1 = mix(state + GOLDEN);
    }

    static Word rotated(Word x, int by) { return x << by | x >> (64 - by); }

    int below(int n) {
        const Word result = s0 + s1;
        s1 ^= s0;
        s0 = rotated(s0, 24) ^ s1 ^ (s1 << 16);
        s1 = rotated(s1, 37);
        return static_cast<int>(((result >> 32) * static_cast<Word>(n)) >> 32);
    }
};

// ---------------------------------------------------------------- what is noted

enum Action { LEAD, PLAY, DRAW, PASS };
enum Ending { TARGET_REACHED, OUT, BLOCKED, RUNNING };

// The digest of all that is decided in a match.
struct Trace {
    Word digest = 0;
    long moves = 0;

    void feed(Word number) { digest = (digest ^ number) * 0x100000001B3; }
    void match_begins() {
        digest = 0xCBF29CE484222325;
        moves = 0;
    }
    void round_begins(int, int) {}
    void decided(int n, int k) {
        feed(static_cast<Word>(n));
        feed(static_cast<Word>(k));
    }
    void chosen(int) {}
    void acted(Action) {}
    void round_ended(Ending, int plies, int) { moves += plies; }
    void settled(Ending, int, const int (&score)[2]) {
        feed(static_cast<Word>(score[0]));
        feed(static_cast<Word>(score[1]));
    }
    void match_ended(int winners, int rounds, const int (&)[2]) {
        std::printf("%d %d %ld %016llx\n", winners, rounds, moves, static_cast<unsigned long long>(digest));
    }
    void report() {}
};

struct Extremes {
    long most = 0, least = -1;

    void see(long value) {
        most = std::max(most, value);
        least = least < 0 ? value : std::min(least, value);
    }
};

// The statistics of compiler/counts.py.
struct Count {
    long outcomes[8] = {}, rounds[1001] = {}, lengths[512] = {}, ended[3] = {}, paid[3] = {}, actions[4] = {};
    long scores[2] = {}, moves = 0, choices = 0, offered = 0, played = 0;
    Extremes of_moves, of_rounds, of_match, of_offered, of_score;
    long match_moves = 0;
    int first = 0;

    void match_begins() { match_moves = 0; }
    void round_begins(int round, int mover) {
        if (round == 0) first = mover;
    }
    void decided(int, int) {}
    void chosen(int n) {
        offered += n;
        choices += n > 1;
        of_offered.most = std::max<long>(of_offered.most, n);
    }
    void acted(Action action) { ++actions[action]; }
    void round_ended(Ending ending, int plies, int points) {
        ++ended[ending];
        ++lengths[std::min(plies, 511)];
        of_moves.see(plies);
        match_moves += plies;
        played += points;
    }
    void settled(Ending ending, int points, const int (&)[2]) { paid[ending] += points; }
    void match_ended(int winners, int number, const int (&score)[2]) {
        ++outcomes[first * 4 + winners];
        ++rounds[number];
        of_rounds.see(number);
        of_match.see(match_moves);
        moves += match_moves;
        for (int team = 0; team < 2; ++team) {
            scores[team] += score[team];
            of_score.see(score[team]);
        }
    }

    template <std::size_t N>
    static void print(const char* name, const long (&values)[N]) {
        std::printf("%s", name);
        for (const long value : values) std::printf(" %ld", value);
        std::printf("\n");
    }
    void report() {
        print("outcomes", outcomes);
        print("rounds", rounds);
        print("lengths", lengths);
        print("ended", ended);
        print("paid", paid);
        print("acted", actions);
        print("scores", scores);
        print("sums", {moves, choices, offered, played});
        print("highs", {of_moves.most, of_rounds.most, of_match.most, of_offered.most, of_score.most});
        print("lows", {of_moves.least, of_rounds.least, of_match.least, 0, of_score.least});
    }
};

// ---------------------------------------------------------------- a match

// What both games have: hands, stock, whose turn it is, points.
template <class Notes>
struct Table {
    Notes& notes;
    Chance chance;
    Tiles hand[2] = {}, stock = 0;
    int score[2] = {0, 0};
    int mover = 0, last_mover = 0, starter = NOBODY, plies = 0, rounds = 0;

    Table(Notes& notes, Word seed, Word index) : notes(notes), chance(seed, index) { notes.match_begins(); }

    int decide(int n) {
        const int k = chance.below(n);
        notes.decided(n, k);
        return k;
    }
    int choose(int n) {
        notes.chosen(n);
        return decide(n);
    }
    void act(Action action) {
        notes.acted(action);
        ++plies;
    }
    void deal() {
        stock = ALL;
        for (Tiles& held : hand) {
            held = 0;
            for (int i = 0; i < DEALT; ++i) held |= kth(stock & ~held, decide(size(stock) - i));
            stock ^= held;
        }
        plies = 0;
    }
    void lay(Tiles tile) {
        hand[mover] ^= tile;
        last_mover = mover;
        mover ^= 1;
    }
    // Nothing fits: a tile from the stock, or the turn is lost.
    void draw_or_pass() {
        choose(1);
        if (stock) {
            const Tiles drawn = kth(stock, decide(size(stock)));
            stock ^= drawn;
            hand[mover] |= drawn;
            act(DRAW);
        } else {
            mover ^= 1;
            act(PASS);
        }
    }
    bool out() const { return !hand[last_mover]; }
    bool blocked(Tiles fitting) const { return !stock && !((hand[0] | hand[1]) & fitting); }
    int lightest() const {
        const int a = total(hand[0]), b = total(hand[1]);
        return a < b ? 0 : b < a ? 1 : NOBODY;
    }
    template <class Round>
    void play_rounds(int target, Round round) {
        do round(*this), ++rounds;
        while (score[0] < target && score[1] < target);
        const int winners = score[0] > score[1] ? 1 : score[1] > score[0] ? 2 : 3;
        notes.match_ended(winners, rounds, score);
    }
};

// ---------------------------------------------------------------- draw

template <class Notes>
void draw_round(Table<Notes>& table) {
    table.deal();
    table.mover = table.starter == NOBODY ? 0 : table.starter;
    table.notes.round_begins(table.rounds, table.mover);

    const Tiles opening = table.hand[table.mover];
    const Tiles led = kth(opening, table.choose(size(opening)));
    table.lay(led);
    table.act(LEAD);
    int left = SET.low[least(led)], right = SET.high[least(led)];

    Ending ending = RUNNING;
    while (ending == RUNNING) {
        const Tiles hand = table.hand[table.mover];
        const Tiles on_left = hand & SET.with[left];
        const Tiles on_right = left == right ? 0 : hand & SET.with[right];
        const int lefts = size(on_left), moves = lefts + size(on_right);
        if (moves) {
            const int k = table.choose(moves);
            const bool at_left = k < lefts;
            const Tiles tile = at_left ? kth(on_left, k) : kth(on_right, k - lefts);
            int& end = at_left ? left : right;
            end = far(least(tile), end);
            table.lay(tile);
            table.act(PLAY);
        } else {
            table.draw_or_pass();
        }
        if (table.out())
            ending = OUT;
        else if (table.blocked(SET.with[left] | SET.with[right]))
            ending = BLOCKED;
    }
    table.notes.round_ended(ending, table.plies, 0);

    const int winner = ending == OUT ? table.last_mover : table.lightest();
    int points = 0;
    if (winner != NOBODY) {
        points = total(table.hand[1 - winner]);
        table.score[winner] += points;
        table.starter = winner;
    }
    table.notes.settled(ending, points, table.score);
}

// ---------------------------------------------------------------- petkove

enum Side { LEFT, RIGHT, UP, DOWN };

// The open ends. The first double is the spinner: once both its long sides are covered, it is open up and down.
struct Line {
    int end[4] = {NOTHING, NOTHING, NOTHING, NOTHING};
    int worth[4] = {};
    int spinner = NOTHING;
    bool covered[4] = {};

    void lead(int tile) {
        end[LEFT] = SET.low[tile];
        end[RIGHT] = SET.high[tile];
        worth[LEFT] = SET.low[tile];
        worth[RIGHT] = SET.high[tile];
        if (is_double(tile)) {
            spinner = SET.low[tile];
            worth[LEFT] = 2 * spinner;  // a lone double counts once
            worth[RIGHT] = 0;
        }
    }
    void play(int side, int tile) {
        const int number = far(tile, end[side]);
        if (side == LEFT && spinner != NOTHING && !covered[LEFT] && !covered[RIGHT]) worth[RIGHT] = 2 * spinner;
        worth[side] = is_double(tile) ? 2 * number : number;
        end[side] = number;
        if (spinner != NOTHING) {
            covered[side] = true;
        } else if (is_double(tile)) {
            spinner = number;
            covered[side ^ 1] = true;
            return;
        }
        if (covered[LEFT] && covered[RIGHT]) {
            if (end[UP] == NOTHING) end[UP] = spinner;
            if (end[DOWN] == NOTHING) end[DOWN] = spinner;
        }
    }
    int shown() const { return worth[LEFT] + worth[RIGHT] + worth[UP] + worth[DOWN]; }
    int fives() const { return shown() % 5 == 0 ? shown() : 0; }
    Tiles fitting() const {
        return SET.with[end[LEFT]] | SET.with[end[RIGHT]] | SET.with[end[UP]] | SET.with[end[DOWN]];
    }
};

// The tile with the greatest sum; of equal sums the one with the greater half.
int greatest(Tiles tiles) {
    int best = least(tiles);
    for (; tiles; tiles &= tiles - 1) {
        const int tile = least(tiles);
        if (SET.pips[tile] * 20 + SET.high[tile] > SET.pips[best] * 20 + SET.high[best]) best = tile;
    }
    return best;
}

constexpr int TARGET = 150;

template <class Notes>
void petkove_round(Table<Notes>& table) {
    table.deal();
    Tiles opening;
    if (table.starter == NOBODY) {
        opening = 1u << greatest(table.hand[0] | table.hand[1]);
        table.mover = table.hand[0] & opening ? 0 : 1;
    } else {
        table.mover = table.starter;
        opening = table.hand[table.mover];
    }
    const int led_by = table.mover, before = table.score[0] + table.score[1];
    table.notes.round_begins(table.rounds, led_by);

    Line line;
    const Tiles led = kth(opening, table.choose(size(opening)));
    line.lead(least(led));
    table.lay(led);
    table.act(LEAD);
    table.score[led_by] += line.fives();

    Ending ending = table.score[led_by] >= TARGET ? TARGET_REACHED : RUNNING;
    while (ending == RUNNING) {
        const Tiles hand = table.hand[table.mover];
        if (hand & line.fitting()) {
            int moves = 0, upto[4];
            for (int side = LEFT; side <= DOWN; ++side) upto[side] = moves += size(hand & SET.with[line.end[side]]);
            const int k = table.choose(moves);
            int side = LEFT;
            while (k >= upto[side]) ++side;
            const Tiles tile = kth(hand & SET.with[line.end[side]], side == LEFT ? k : k - upto[side - 1]);
            line.play(side, least(tile));
            table.lay(tile);
            table.act(PLAY);
            table.score[table.last_mover] += line.fives();
        } else {
            table.draw_or_pass();
        }
        if (table.score[table.last_mover] >= TARGET)
            ending = TARGET_REACHED;
        else if (table.out())
            ending = OUT;
        else if (table.blocked(line.fitting()))
            ending = BLOCKED;
    }
    table.notes.round_ended(ending, table.plies, table.score[0] + table.score[1] - before);

    int points = 0;
    if (ending != TARGET_REACHED) {
        const int winner = ending == OUT ? table.last_mover : table.lightest();
        if (winner != NOBODY) {
            points = (total(table.hand[1 - winner]) + 2) / 5 * 5;
            table.score[winner] += points;
        }
    }
    table.starter = table.out() ? table.last_mover : led_by;
    table.notes.settled(ending, points, table.score);
}

// ---------------------------------------------------------------- matches

template <class Notes>
void play(bool petkove, Word first, Word last, Word seed) {
    Notes notes;
    for (Word index = first; index < last; ++index) {
        Table<Notes> table(notes, seed, index);
        if (petkove)
            table.play_rounds(TARGET, [](auto& t) { petkove_round(t); });
        else
            table.play_rounds(100, [](auto& t) { draw_round(t); });
    }
    notes.report();
}

bool is(const char* given, const char* wanted) { return std::strcmp(given, wanted) == 0; }

int main(int count, char** given) {
    if (count != 6 || !(is(given[1], "petkove") || is(given[1], "draw"))) {
        std::fputs("usage: reference draw|petkove trace|count FIRST LAST SEED\n", stderr);
        return 2;
    }
    const bool petkove = is(given[1], "petkove"), trace = is(given[2], "trace");
    const Word first = std::strtoull(given[3], nullptr, 10), last = std::strtoull(given[4], nullptr, 10);
    const Word seed = std::strtoull(given[5], nullptr, 10);
    const std::clock_t begun = std::clock();
    (trace ? play<Trace> : play<Count>)(petkove, first, last, seed);
    if (!trace) std::printf("seconds %.6f\n", static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
    return 0;
}
