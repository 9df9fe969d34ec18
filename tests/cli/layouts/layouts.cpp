// SPDX-License-Identifier: GPL-2.0-or-later
// Layouts of data in C++, for layouts.py: see layouts.c.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#define WALK __attribute__((noinline)) static void

static const int COUNT = 2000, ROUNDS = 4;
static volatile long sink;
static volatile double sum;

struct Padded {
	int code = 1, x = 2;
	char pad[64] = {};
};

// Links that own what they point to.
struct Link {
	std::unique_ptr<Link> next;
	long key = 3;
	char pad[64] = {};
};
static std::unique_ptr<Link> chain;

WALK walk_unique()
{
	for (const Link *l = chain.get(); l != nullptr; l = l->next.get())
		sink += 1;
}

struct Shared {
	std::shared_ptr<Shared> next;
	long key = 3;
	char pad[64] = {};
};
static std::shared_ptr<Shared> shared;

WALK walk_shared()
{
	for (const Shared *l = shared.get(); l != nullptr; l = l->next.get())
		sink += l->key;
}

// Bases: one, two, and one that is virtual elsewhere.
struct Named {
	long name = 1;
	virtual ~Named() = default;
};
struct Placed {
	double place = 2;
	virtual double where() const { return place; }
	virtual ~Placed() = default;
};
struct Thing : Named, Placed {
	long own = 3;
	char pad[64] = {};
};
static std::vector<Thing *> things;

WALK walk_second_base()
{
	for (const Thing *t : things)
		sum += t->place;
}

WALK walk_own()
{
	for (const Thing *t : things)
		sink += t->own;
}

// A member that is an array of the library.
struct Fixed {
	int id = 0;
	std::array<Padded, 3> three;
};
static std::vector<Fixed> fixed;

WALK walk_array()
{
	for (const Fixed &f : fixed)
		for (const Padded &p : f.three)
			sink += p.x;
}

struct Record {
	long id = 0;
	std::string name;
	char pad[64] = {};
};
static std::vector<Record> records;

WALK walk_small_string()
{
	for (const Record &r : records)
		sink += r.name[3];
}

struct Team {
	long id = 0;
	std::vector<int> members;
	char pad[64] = {};
};
static std::vector<Team> teams;

WALK walk_vector_member()
{
	for (const Team &t : teams)
		sink += (long)t.members.size();
}

static std::map<long, Padded> ordered;

WALK walk_map()
{
	for (const auto &p : ordered)
		sink += p.second.x;
}

static std::unordered_map<long, Padded> hashed;

WALK walk_unordered()
{
	for (const auto &p : hashed)
		sink += p.second.code;
}

static std::list<Padded> linked;

WALK walk_list()
{
	for (const Padded &p : linked)
		sink += p.code;
}

static std::deque<Padded> queue;

WALK walk_deque()
{
	for (const Padded &p : queue)
		sink += p.x;
}

static std::vector<std::pair<long, Padded>> pairs;

WALK walk_pairs()
{
	for (const auto &p : pairs)
		sink += p.second.x;
}

// A template in a namespace, with an enum class and a static array.
namespace zoo
{
enum class Kind : int { CAT, DOG };
template <class T> struct Pen {
	T many[9] = {};
	Kind kind = Kind::DOG;
	long *mark = nullptr;
};
} // namespace zoo
static zoo::Pen<double> pens[COUNT];

WALK walk_kinds()
{
	for (const auto &p : pens)
		sink += (long)p.kind;
}

struct Part {
	double mass = 1;
	char pad[56] = {};
};
static std::unique_ptr<Part[]> parts;

WALK walk_unique_array()
{
	for (int i = 0; i < COUNT; i++)
		sum += parts[i].mass;
}

static std::unique_ptr<Link> link_up(std::unique_ptr<Link> rest)
{
	auto made = std::make_unique<Link>();

	made->next = std::move(rest);
	return made;
}

static void make()
{
	fixed.resize(COUNT);
	records.resize(COUNT);
	teams.resize(COUNT);
	pairs.resize(COUNT);
	parts = std::make_unique<Part[]>(COUNT);
	for (int i = 0; i < COUNT; i++) {
		auto s = std::make_shared<Shared>();

		chain = link_up(std::move(chain));
		s->next = std::move(shared);
		shared = std::move(s);
		things.push_back(new Thing);
		records[(size_t)i].name = "a name";
		ordered[i * 7919L % COUNT];
		hashed[i * 7919L % COUNT];
		linked.emplace_back();
		queue.emplace_back();
	}
}

int main()
{
	static void (*const walks[])() = {
		walk_unique,	    walk_shared, walk_second_base, walk_own,   walk_array,	    walk_small_string,
		walk_vector_member, walk_map,	 walk_unordered,   walk_list,  walk_deque,	    walk_pairs,
		walk_kinds,	    walk_unique_array,
	};

	make();
	for (auto walk : walks)
		for (int round = 0; round < ROUNDS; round++)
			walk();
	std::printf("%ld\n", sink);
	std::_Exit(0); // the chain is too long for destructors that call each other
}
