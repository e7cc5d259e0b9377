import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Daemon } from './daemon.ts'

/** Sends a request twice at once and once again, with the same id. Returns the reply, which must always be the same. */
export async function postRepeatedly(daemon: Pick<Daemon, 'post'>, url: string): ReturnType<Daemon['post']> {
  const client_request_id = randomUUID()
  const send = () => daemon.post(url, { client_request_id })
  const [first, beside] = await Promise.all([send(), send()])
  const later = await send()
  for (const one of [beside, later]) expect([one.statusCode, one.body]).toEqual([first.statusCode, first.body])
  return first
}
