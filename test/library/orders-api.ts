/** An HTTP API unrelated to hundredfold: it accepts a limited number of orders per window, and journals all. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

interface Order {
  readonly article: string;
  /** When it arrived (ms). */
  readonly at: number;
  readonly status: number;
}

interface OrdersApi {
  readonly url: string;
  readonly orders: readonly Order[];
  /** Articles with an order; a duplicate article was ordered twice. */
  accepted(): string[];
  /** The answers to the next requests, instead of an order. */
  answerNext(...statuses: readonly number[]): void;
}

/** @param tookMs how long an answer takes */
export async function ordersApi(limit: number, windowMs: number, tookMs = 100): Promise<OrdersApi> {
  const orders: Order[] = [];
  const next: number[] = [];
  const statusAt = (at: number, article: string): number => {
    if (article.startsWith('no-such')) return 400;
    const inWindow = orders.filter((order) => order.status === 201 && at - order.at < windowMs);
    return inWindow.length < limit ? (next.shift() ?? 201) : 429;
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { article } = JSON.parse(await bodyOf(request)) as { article: string };
      const at = Date.now();
      const status = statusAt(at, article);
      orders.push({ article, at, status });
      await delay(tookMs);
      response.statusCode = status;
      response.end(
        status === 201 ? JSON.stringify({ id: `order-of-${article}` }) : `HTTP ${status}`,
      );
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    accepted: () => orders.filter(({ status }) => status === 201).map(({ article }) => article),
    answerNext: (...statuses) => void next.push(...statuses),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
