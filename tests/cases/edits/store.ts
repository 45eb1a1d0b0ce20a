import { z } from "zod";

/** A product in the cart. */
export interface Item {
  id: string;
  count: number;
}

const ItemSchema = z.object({ id: z.string(), count: z.number().int().positive() });

export const EMPTY: readonly Item[] = [];

/** The cart of this browser. */
export class CartStore {
  private items: Item[] = [];
  private listeners = new Set<() => void>();

  constructor(private readonly storage: Storage) {
    this.load();
  }

  /** Adds a product, or more of it. */
  add(id: string, count = 1): void {
    const old = this.items.find((item) => item.id === id);
    if (old) {
      old.count += count;
    } else {
      this.items.push({ id, count });
    }
    this.save();
  }

  remove(id: string): void {
    this.items = this.items.filter((item) => item.id !== id);
    this.save();
  }

  private load(): void {
    const text = this.storage.getItem("cart");
    this.items = text ? z.array(ItemSchema).parse(JSON.parse(text)) : [];
  }

  private save(): void {
    this.storage.setItem("cart", JSON.stringify(this.items));
    this.listeners.forEach((listener) => listener());
  }
}

export function count(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.count, 0);
}

export const format = (cents: number): string => {
  return `${(cents / 100).toFixed(2)} €`;
};
