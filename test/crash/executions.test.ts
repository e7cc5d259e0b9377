import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../devices/driver/outcomes.ts'
import { mark, payload, waitForNothing } from '../devices/pool/pool.ts'
import { type Client, startFloor } from '../devices/pool/surviving-phones.ts'

const timeoutMs = 120_000
const open = async (client: Client) =>
  (await client.count('queued')) + (await client.count('running'))

test('a daemon killed with 8 executions running and 50 waiting loses none and repeats none', async () => {
  const floor = await startFloor(8)
  const { phones } = floor
  let client = await floor.serve()
  await client.sees(8)
  const running = phones.map(({ serial }) => ({
    execution: payload({
      actions: [mark(0), waitForNothing, mark(0, 'again')],
      commandId: `running-${serial}`,
      timeoutMs,
    }),
    serial,
  }))
  for (const body of running) expect((await client.send(body)).status).toBe(202)
  await eventually(
    () => phones.map(({ order }) => order().length),
    (taps) => taps.every((count) => count === 1),
  )
  for (let at = 0; at < 50; at += 1) {
    const [serial, name] = [phones[at % 8]?.serial, 1 + Math.floor(at / 8)]
    const commandId = `waiting-${serial}-${name}`
    const sent = await client.send({
      execution: payload({ actions: [mark(name)], commandId, timeoutMs }),
      serial,
    })
    expect([sent.status, sent.execution.state]).toEqual([202, 'queued'])
  }
  expect([await client.count('running'), await client.count('queued')]).toEqual([8, 50])

  expect(await floor.kill()).toBe('SIGKILL')
  expect(phones.map(({ order }) => order())).toEqual(phones.map(() => ['0']))
  client = await floor.serve()
  await eventually(
    () => open(client),
    (count) => count === 0,
  )

  const all = await client.all()
  expect(all.size).toBe(58)
  for (const [at, { serial, order }] of phones.entries()) {
    const cut = all.get(`running-${serial}`)
    expect(cut).toMatchObject({ state: 'interrupted', completed_steps: 1 })
    expect(cut?.envelope).toMatchObject({
      status: 'failed',
      errorCode: 'EXECUTION_INTERRUPTED',
      stepResults: [{ id: 'mark-0', success: true }],
    })
    const own = Array.from({ length: at < 2 ? 7 : 6 }, (_, n) => String(n + 1))
    for (const name of own) {
      expect(all.get(`waiting-${serial}-${name}`)).toMatchObject({ state: 'succeeded' })
    }
    expect(order()).toEqual(['0', ...own])
  }
  const [first] = running
  const again = await client.send({ ...first, wait_ms: 1000 })
  expect([again.status, again.execution.state]).toEqual([200, 'interrupted'])
  expect(phones[0]?.order().filter((name) => name === '0')).toHaveLength(1)
}, 90_000)

test('killed again and again while phones are being touched, a daemon touches nothing twice', async () => {
  const floor = await startFloor(8, 80)
  const { phones } = floor
  const names = [1, 2, 3, 4, 5, 6, 7]
  let client = await floor.serve()
  await client.sees(8)
  const bodies = names.flatMap((name) =>
    phones.map(({ serial }) => {
      const commandId = `${serial}-${name}`
      return { execution: payload({ actions: [mark(name)], commandId, timeoutMs }), serial }
    }),
  )
  await Promise.all(bodies.map((body) => client.send(body)))
  for (const delayMs of [0, 60, 150]) {
    const isBusy = () => phones.some(({ clock }) => clock.busy > 0)
    const idle = await eventually(
      async () => !isBusy() && (await open(client)) === 0,
      (over) => over || isBusy(),
    )
    // On a slow machine all may be done before the last of them.
    if (idle) break
    await sleep(delayMs)
    expect(await floor.kill()).toBe('SIGKILL')
    client = await floor.serve()
  }
  await eventually(
    () => open(client),
    (count) => count === 0,
  )

  const all = await client.all()
  const interrupted = [...all.values()].filter(({ state }) => state === 'interrupted')
  expect(all.size).toBe(bodies.length)
  expect(interrupted.length).toBeGreaterThan(0)
  for (const { serial, order } of phones) {
    for (const name of names) {
      const execution = all.get(`${serial}-${name}`)
      const taps = order().filter((touched) => touched === String(name)).length
      expect(['succeeded', 'interrupted']).toContain(execution?.state)
      if (execution?.state === 'succeeded') expect(taps).toBe(1)
      else expect(execution?.envelope?.errorCode).toBe('EXECUTION_INTERRUPTED')
      expect(taps).toBeLessThanOrEqual(1)
    }
  }
}, 90_000)
