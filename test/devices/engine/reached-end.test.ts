import { expect, test } from 'vitest'
import { overEmbeddedServer } from './bench.ts'

const APP = 'org.example.claims'
const ONCE = { retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1, backoffMultiplier: 1, jitterRatio: 0 } }
const press = (matcher: Record<string, unknown>, doneIfMissing = true) => ({
  type: 'click',
  params: { matcher, ...ONCE },
  ...(doneIfMissing && { doneIfMissing }),
})
const claim = (text: string, more: Record<string, unknown> = {}) => ({
  type: 'expect',
  params: { matcher: { text }, settled: true, timeoutMs: 500, ...more },
})

overEmbeddedServer((open) => {
  const opened = async () => {
    const bench = await open()
    await bench.visit(APP, 'claims:list')
    return bench
  }

  test('a press whose control is missing is passed over if the claims about the end hold', async () => {
    const bench = await opened()
    const touches = bench.phone.touches()
    const { status, stepResults } = await bench.execute([
      press({ text: 'Send' }),
      press({ text: 'Confirm' }),
      claim('Old'),
    ])
    expect(status).toBe('success')
    expect(stepResults.map(({ outcome }) => outcome)).toEqual(['succeeded', 'skipped', 'succeeded'])
    expect(stepResults[0]?.data).toMatchObject({ already: 'true', skip_to: 's3' })
    expect(bench.phone.touches()).toBe(touches)
  })

  test.each([
    ['the claims do not hold', claim('Newest'), true],
    ['the claim is about something new', claim('Old', { added: true }), true],
    ['the claim is a message', claim('Old', { transient: true }), true],
    ['what is claimed is absent', claim('Newest', { present: false }), true],
    ['the step does not allow it', claim('Old'), false],
  ])('it fails if %s', async (_name, end, allowed) => {
    const bench = await opened()
    const { stepResults } = await bench.execute([press({ text: 'Send' }, allowed), end])
    expect(stepResults[0]).toMatchObject({ success: false, data: { error: 'NODE_NOT_FOUND' } })
  })

  test('a control that says something else is not pressed if the claims hold already', async () => {
    const bench = await opened()
    const matcher = { text: 'Send', fallbacks: [{ text: 'Add' }, { textContains: 'Ad', role: 'button' }] }
    const { status } = await bench.execute([press(matcher), claim('Old')])
    expect(status).toBe('success')
    expect(bench.phone.state(APP).saved).toMatchObject({ touches: 0 })
    await bench.execute([press(matcher), claim('New')])
    expect(bench.phone.state(APP).saved).toMatchObject({ touches: 1 })
  })
})
