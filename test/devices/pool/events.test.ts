import { describe, expect, onTestFinished, test } from 'vitest'
import { adminToken } from '../../kit/daemon.ts'
import { ids, kinds, openStream } from '../../live/sse-client.ts'
import { poolKinds } from './pool-kinds.ts'
import { tapMark, type Pool, startPool } from './pool.ts'

const SCREENSHOT_STEP = { id: 'picture', type: 'take_screenshot', params: {} }

describe.each(poolKinds)('over $name', (kind) => {
  test('the steps of an execution are streamed as they happen', async () => {
    const pool = await startPool(kind)
    const follow = await streams(pool)
    const free = pool.phone.clock.hold()
    const { execution } = await pool.queue({
      actions: [tapMark(1), tapMark('missing'), tapMark(2)],
    })
    const stream = await follow(execution.execution_id)
    await stream.until((frames) => kinds(frames).includes('execution.step_started'))
    expect(kinds(stream.frames)).toEqual(['execution.queued', 'execution.started', 'execution.step_started'])
    free()
    await stream.ended
    const received = stream.frames.flatMap(({ event, data }) =>
      event === undefined ? [] : [[event, data?.payload['step_id'] ?? data?.payload['state']]],
    )
    expect(received).toEqual([
      ['execution.queued', undefined],
      ['execution.started', undefined],
      ['execution.step_started', 'mark-1'],
      ['execution.step_finished', 'mark-1'],
      ['execution.step_started', 'mark-missing'],
      ['execution.step_finished', 'mark-missing'],
      ['execution.settled', 'failed'],
    ])
    expect(stream.frames.at(-1)?.data).toMatchObject({
      execution_id: execution.execution_id,
      payload: { error_code: 'NODE_NOT_FOUND', completed_steps: 2 },
    })
    expect(ids(stream.frames)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  })

  test('a late reader gets all events, and a reconnecting one gets the rest', async () => {
    const pool = await startPool(kind)
    const follow = await streams(pool)
    const { execution } = await pool.execute({ actions: [tapMark(1)] })
    const late = await follow(execution.execution_id)
    await late.ended
    expect(ids(late.frames)).toEqual(['1', '2', '3', '4', '5'])
    const back = await follow(execution.execution_id, { 'last-event-id': '3' })
    await back.ended
    expect(kinds(back.frames)).toEqual(['execution.step_finished', 'execution.settled'])
    const done = await follow(execution.execution_id, { 'last-event-id': '5' })
    expect(done.status).toBe(204)
  })

  test('a user cannot follow an execution of another user', async () => {
    const pool = await startPool(kind)
    const follow = await streams(pool)
    const other = await pool.daemon.tokenFor('other')
    const { execution } = await pool.execute({ actions: [tapMark(1)] })
    const stream = await follow(execution.execution_id, {}, other)
    expect(stream.status).toBe(404)
    await stream.ended
    expect(stream.frames.filter(({ event }) => event !== undefined)).toEqual([])
  })

  test('pictures are served as PNG to their owner only', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const { execution } = await pool.execute({ actions: [tapMark(1), SCREENSHOT_STEP] })
    const data = execution.envelope?.stepResults[1]?.data
    const shot = await pool.daemon.post(`/api/devices/${pool.phone.serial}/screenshot`, {})
    const direct = shot.json<{ screenshot: { url: string; bytes: number }; width: number }>()
    expect([shot.statusCode, direct.width]).toEqual([201, 1080])
    for (const url of [data?.['path'] ?? '', direct.screenshot.url]) {
      const reply = await pool.daemon.get(url)
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('image/png')
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.rawPayload.subarray(1, 4).toString()).toBe('PNG')
      expect(reply.rawPayload.readUInt32BE(16)).toBe(1080)
      const foreign = await pool.daemon.get(url, other)
      expect([foreign.statusCode, foreign.headers['content-type']]).toEqual([
        404,
        expect.stringContaining('application/json'),
      ])
    }
    const direct2 = await pool.daemon.get(direct.screenshot.url)
    expect(direct2.rawPayload).toHaveLength(direct.screenshot.bytes)
  })
})

async function streams(pool: Pool) {
  const { url } = await pool.daemon.listen()
  return async (id: string, headers: Record<string, string> = {}, token = adminToken) => {
    const stream = await openStream(`${url}/api/executions/${id}/events`, { token, headers })
    onTestFinished(() => stream.close())
    return stream
  }
}
