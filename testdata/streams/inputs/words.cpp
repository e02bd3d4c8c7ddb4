#include <algorithm>
#include <functional>
#include <map>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

struct Entry {
	std::string word;
	std::vector<int> lines;
};

int main() {
	std::unordered_map<std::string, Entry> index;
	std::string word;
	for (int number = 1; std::cin >> word; number++) {
		Entry &e = index[word];
		e.word = word;
		e.lines.push_back(number);
	}
	std::vector<const Entry *> sorted;
	for (auto &[key, e] : index)
		sorted.push_back(&e);
	std::sort(sorted.begin(), sorted.end(), [](auto a, auto b) {
		return a->lines.size() > b->lines.size() || (a->lines.size() == b->lines.size() && a->word < b->word);
	});
	for (auto e : sorted)
		std::cout << e->lines.size() << ' ' << e->word << '\n';
}
