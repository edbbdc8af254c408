// Plays Connect Four with a network of tiro, without a search:
//
//	tiro export bundled:connect4 --onnx connect4.onnx
//	g++ -std=c++17 -O2 -I onnxruntime/include connect4.cpp -L onnxruntime/lib -lonnxruntime -o connect4
//	echo 4453 | LD_LIBRARY_PATH=onnxruntime/lib ./connect4 connect4.onnx
//
// onnxruntime is the folder of an unpacked release of ONNX Runtime. Each line of standard input is
// the moves of a game so far; for each, the program prints a line of JSON with the best move, the
// probability of each legal move, and the probability of each result (the first player wins, the
// second one wins, a draw).

#include <onnxruntime_c_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int width = 7, height = 6, cells = width * height, planes = 12, results = 3, none = -1;

// A board has the player whose stone is on each cell, row by row from the bottom.
using Board = std::array<int, cells>;

// landing returns the cell where a stone in the column lands, or none if the column is full.
int landing(const Board& b, int column) {
	for (int cell = column; cell < cells; cell += width) {
		if (b[cell] == none) return cell;
	}
	return none;
}

// position returns the board after moves such as 4453.
Board position(const std::string& moves) {
	Board b;
	b.fill(none);
	for (size_t ply = 0; ply < moves.size(); ply++) {
		int column = moves[ply] - '1';
		int cell = column >= 0 && column < width ? landing(b, column) : none;
		if (cell == none) throw std::runtime_error(moves + ": move " + std::to_string(ply + 1) + " is not legal");
		b[cell] = ply % 2;
	}
	return b;
}

// all_lines returns the lines of four cells.
std::vector<std::array<int, 4>> all_lines() {
	std::vector<std::array<int, 4>> all;
	for (auto [up, right] : {std::pair(0, 1), std::pair(1, 0), std::pair(1, 1), std::pair(1, -1)}) {
		for (int cell = 0; cell < cells; cell++) {
			int row = cell / width + 3 * up, column = cell % width + 3 * right, d = up * width + right;
			if (row < height && column >= 0 && column < width) all.push_back({cell, cell + d, cell + 2 * d, cell + 3 * d});
		}
	}
	return all;
}

const auto lines = all_lines();

// has_four reports whether a player that gets some cells makes four in a row.
template <typename Gets> bool has_four(Gets gets) {
	return std::any_of(lines.begin(), lines.end(), [&](auto& line) { return std::all_of(line.begin(), line.end(), gets); });
}

// follow_up returns for each player 1 if it wins by answering every stone in pairs of cells, 1/2 if
// it draws or wins, and 0 if neither is certain. The threats are cells that make four for the first
// player. Which cells a player gets is explained in env/connect4/position.go, at followUp.
std::array<float, 2> follow_up(const Board& b, int turn, const float* threats) {
	auto free = [&](int cell, int parity) { return b[cell] == none && cell / width % 2 == parity; };
	auto contested = [&](int cell) { return free(cell, 1) && landing(b, cell % width) == cell; };
	if (!has_four([&](int cell) { return b[cell] == 0 || free(cell, 0) || contested(cell); })) {
		bool wins = has_four([&](int cell) { return b[cell] == 1 || (free(cell, 1) && !contested(cell)); });
		return {0, wins ? 1.0f : 0.5f};
	}
	for (int column = 0; column < width && turn == 1; column++) {
		int waiting = column, next = landing(b, column);
		while (waiting < cells && threats[waiting] == 0) waiting += 2 * width;
		if (waiting >= cells || next == none || !contested(next)) continue;
		bool fails = has_four([&](int cell) {
			return b[cell] == 1 || (cell % width == column ? free(cell, 1) && cell < waiting : free(cell, 0) || contested(cell));
		});
		if (!fails) return {1, 0};
	}
	return {0, 0};
}

// encode returns the planes of connect4.onnx.json from the view of the player to move.
std::vector<float> encode(const Board& b, int me) {
	std::vector<float> x(planes * cells);
	auto plane = [&](int number) { return &x[number * cells]; };
	for (const auto& line : lines) {
		int empty = std::count_if(line.begin(), line.end(), [&](int cell) { return b[cell] == none; });
		for (int side : {0, 1}) {
			int player = side == 0 ? me : 1 - me;
			int stones = std::count_if(line.begin(), line.end(), [&](int cell) { return b[cell] == player; });
			for (int cell : line) {
				if (stones + empty < 4 || b[cell] != none) continue;
				if (stones == 3) plane(4 + side)[cell] = 1;
				plane(8 + side)[cell] += std::array{1 / 16.0f, 1 / 4.0f, 1.0f, 0.0f}[stones];
			}
		}
	}
	auto sure = follow_up(b, me, plane(4 + me));
	for (int cell = 0; cell < cells; cell++) {
		plane(0)[cell] = b[cell] == me;
		plane(1)[cell] = b[cell] == 1 - me;
		plane(2)[cell] = landing(b, cell % width) == cell;
		plane(3)[cell] = 1;
		plane(6)[cell] = cell / width % 2 == 0;
		plane(7)[cell] = me == 0;
		plane(10)[cell] = sure[me];
		plane(11)[cell] = sure[1 - me];
	}
	return x;
}

std::vector<double> softmax(const std::vector<float>& logits) {
	std::vector<double> e;
	double top = *std::max_element(logits.begin(), logits.end()), sum = 0;
	for (float x : logits) sum += (e.push_back(std::exp(x - top)), e.back());
	for (double& x : e) x /= sum;
	return e;
}

// Network is a model in ONNX Runtime.
class Network {
public:
	explicit Network(const char* model) {
		OrtEnv* env;
		OrtSessionOptions* options;
		check(ort->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "connect4", &env));
		check(ort->CreateSessionOptions(&options));
		check(ort->CreateSession(env, model, options, &session));
		check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
	}

	// run returns the logits of all actions and of the results.
	std::pair<std::vector<float>, std::vector<float>> run(std::vector<float> x) {
		const int64_t shape[] = {1, planes, height, width};
		const char* inputs[] = {"observation"};
		const char* outputs[] = {"policy", "outcome"};
		OrtValue* observation = nullptr;
		OrtValue* answers[] = {nullptr, nullptr};
		check(ort->CreateTensorWithDataAsOrtValue(memory, x.data(), x.size() * sizeof(float), shape, 4,
			ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &observation));
		check(ort->Run(session, nullptr, inputs, &observation, 1, outputs, 2, answers));
		std::pair logits(numbers(answers[0], cells), numbers(answers[1], results));
		for (OrtValue* v : {observation, answers[0], answers[1]}) ort->ReleaseValue(v);
		return logits;
	}

private:
	const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
	OrtSession* session = nullptr;
	OrtMemoryInfo* memory = nullptr;

	void check(OrtStatus* status) {
		if (status != nullptr) throw std::runtime_error(ort->GetErrorMessage(status));
	}

	std::vector<float> numbers(OrtValue* v, int n) {
		float* data;
		check(ort->GetTensorMutableData(v, reinterpret_cast<void**>(&data)));
		return std::vector<float>(data, data + n);
	}
};

// answer prints the network's output for a position.
void answer(const std::string& moves, const Board& b, const std::vector<float>& policy, const std::vector<float>& outcome) {
	std::vector<int> columns;
	std::vector<float> logits;
	for (int column = 0; column < width; column++) {
		int cell = landing(b, column);
		if (cell == none) continue;
		columns.push_back(column);
		logits.push_back(policy[cell]);
	}
	auto priors = softmax(logits), chances = softmax(outcome);
	if (moves.size() % 2 == 1) std::swap(chances[0], chances[1]); // the outcome has the player on turn first
	int best = columns[std::max_element(priors.begin(), priors.end()) - priors.begin()];
	std::printf("{\"moves\":\"%s\",\"best\":\"%d\",\"priors\":{", moves.c_str(), best + 1);
	for (size_t i = 0; i < priors.size(); i++) std::printf("%s\"%d\":%.9g", i > 0 ? "," : "", columns[i] + 1, priors[i]);
	std::printf("},\"outcome\":[%.9g,%.9g,%.9g]}\n", chances[0], chances[1], chances[2]);
}

int main(int argc, char** argv) try {
	if (argc != 2) throw std::runtime_error("want the model, such as connect4.onnx");
	Network network(argv[1]);
	for (std::string moves; std::getline(std::cin, moves);) {
		Board b = position(moves);
		auto [policy, outcome] = network.run(encode(b, moves.size() % 2));
		answer(moves, b, policy, outcome);
	}
} catch (const std::exception& e) {
	std::cerr << e.what() << '\n';
	return 1;
}
