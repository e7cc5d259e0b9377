import { expect, test } from 'vitest'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { CONTROLS, overEmbeddedServer } from './bench.ts'

const part = (name: string) => ({ resourceId: `${CONTROLS}:id/${name}` })
const ask = (equals: number, where: object) => ({
  id: 'ask',
  type: 'expect',
  params: { matcher: part('value_value'), number: { equals }, ...where },
})
const increase = { id: 'more', type: 'click', params: { matcher: part('value_plus') } }
const end = { id: 'end', type: 'read_text', params: { matcher: part('value_value') } }

overEmbeddedServer((open) => {
  test.each([
    ['holds', ask(5, { skipTo: 'end' }), { held: 'true', skip_to: 'end' }, 0],
    ['does not hold', ask(6, { skipTo: 'end' }), { held: 'false' }, 1],
    ['holds, the other way', ask(5, { elseSkipTo: 'end' }), { held: 'true' }, 1],
    ['fails, the other way', ask(6, { elseSkipTo: 'end' }), { held: 'false', skip_to: 'end' }, 0],
  ])('an expectation that %s selects the next step', async (_what, question, data, touches) => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:numbers')
    const envelope = await bench.execute([question, increase, end])
    expect(envelope.status).toBe('success')
    expect(envelope.stepResults[0]).toMatchObject({ success: true, data })
    expect(envelope.stepResults[1]).toMatchObject(
      touches === 0
        ? { success: true, outcome: 'skipped', data: { skipped_by: 'skip_to' } }
        : { success: true, outcome: 'succeeded' },
    )
    expect(envelope.stepResults[2]?.data['text']).toBe(String(5 + touches))
    expect(bench.phone.touches()).toBe(touches)
  })

  test('a false expectation is decided as soon as the screen is stable', async () => {
    const bench = await open()
    await bench.visit(CONTROLS, 'controls:numbers')
    await bench.execute([ask(6, { skipTo: 'end', timeoutMs: 60_000 }), end])
    expect(bench.dumps()).toBe(3)
  })
})

test.each([['ask'], ['before'], ['nowhere']])('skipping to %s is refused', (skipTo) => {
  const read = normalizeExecution({
    commandId: 'c',
    taskId: 't',
    source: 's',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 5000,
    actions: [{ id: 'before', type: 'sleep', params: { durationMs: 1 } }, ask(1, { skipTo }), end],
  })
  expect(read.ok).toBe(false)
  if (!read.ok) expect(read.failure.message).toContain('must name a later action')
})
