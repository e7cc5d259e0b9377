import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { AddressNotAllowed, createGuardedFetch } from '../../src/connectors/guarded-fetch.ts'

/** A server on this machine that counts requests and closes every connection after its reply. */
async function startListener(): Promise<{ port: number; requests: () => number }> {
  let requests = 0
  const listener = createServer((_request, reply) => {
    requests += 1
    reply.writeHead(200, { connection: 'close' }).end('ok')
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return { port: (listener.address() as AddressInfo).port, requests: () => requests }
}

/** A name server that gives one answer after the other, and the last one for ever. */
function answerInTurn(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  const resolve = (
    hostname: string,
    _options: object,
    done: (error: null, addresses: LookupAddress[]) => void,
  ): void => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    done(
      null,
      answer.map((address) => ({ address, family: 4 })),
    )
  }
  return { asked, resolve }
}

const open = (resolve: ReturnType<typeof answerInTurn>['resolve'], allowed: readonly string[] = []) => {
  const guarded = createGuardedFetch(allowed, resolve)
  onTestFinished(() => guarded.close())
  return guarded.fetch
}

const findReason = (error: unknown): unknown => {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof AddressNotAllowed) return at.message
  return error
}

test('the address that was checked is the one that is connected to: a name is resolved once for a connection', async () => {
  const { port, requests } = await startListener()
  const names = answerInTurn(['127.0.0.1'])
  const fetch = open(names.resolve)
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)
  expect([names.asked, requests()]).toEqual([['localhost'], 1])
})

test('a name that leads elsewhere at its second use is refused then', async () => {
  const { port, requests } = await startListener()
  const names = answerInTurn(['127.0.0.1'], ['10.0.0.5'], ['169.254.169.254'])
  const fetch = open(names.resolve)
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)
  for (let count = 0; count < 2; count += 1) {
    const refusal: unknown = await fetch(`http://localhost:${port}/`).catch((error: unknown) => findReason(error))
    expect(refusal).toBe('localhost leads to an address that is not allowed.')
  }
  expect([names.asked.length, requests()]).toEqual([3, 1])
})

test.each([
  ['this machine', ['127.0.0.1']],
  ['a private network', ['192.168.0.9']],
  ['the metadata of a cloud', ['169.254.169.254']],
  ['an address of this machine beside a public one', ['93.184.215.14', '127.0.0.1']],
  ['an IPv6 form of this machine', ['::ffff:127.0.0.1']],
])('a name of the internet that leads to %s is not connected to', async (_where, addresses) => {
  const { port, requests } = await startListener()
  const fetch = open(answerInTurn(addresses).resolve)
  const refusal: unknown = await fetch(`http://rebinding.example:${port}/`).catch((error: unknown) => findReason(error))
  expect(refusal).toBe('rebinding.example leads to an address that is not allowed.')
  expect(requests()).toBe(0)
})
