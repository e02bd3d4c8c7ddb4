"""Prints the statements of a small shop: orders come and go in rounds, with
texts of all lengths, and reports are made of them in between."""
import random

WORDS = """lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod
tempor incididunt ut labore et dolore magna aliqua""".split()


def insert(number, rng):
    note = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 60)))
    return (f"INSERT INTO orders VALUES({number},'customer {rng.randint(1, 997)}',"
            f"'item {rng.randint(1, 5003)}',{rng.random() * 100:.2f},'{note}');")


def main():
    rng = random.Random(42)
    print("PRAGMA cache_size=-2000;")
    print("CREATE TABLE orders(id INTEGER PRIMARY KEY, customer TEXT, item TEXT, price REAL, note TEXT);")
    print("CREATE INDEX by_customer ON orders(customer);")
    numbers = []
    for turn in range(8):
        print("BEGIN;")
        for _ in range(1500):
            numbers.append(len(numbers) + 600 * turn + 1)
            print(insert(numbers[-1], rng))
        print("COMMIT; BEGIN;")
        rng.shuffle(numbers)
        for number in numbers[:600]:
            print(f"DELETE FROM orders WHERE id={number};")
        numbers = numbers[600:]
        for number in numbers[:200]:
            print(f"UPDATE orders SET note=note||' revised', price=price*1.1 WHERE id={number};")
        print("COMMIT;")
        print("SELECT customer, count(*), sum(price), group_concat(item) FROM orders GROUP BY customer ORDER BY 3 DESC;")
        if turn % 3 == 2:
            print("VACUUM;")


main()
