import { expect, test } from 'vitest'
import { type Bench, overEmbeddedServer, type RawAction } from './bench.ts'

const APP = 'org.example.obstacles'
const once = { retry: { maxAttempts: 1 } }
const click = (text: string) => ({ type: 'click', params: { matcher: { text }, ...once } })
const saved = (bench: Bench) => bench.phone.state(APP).saved

overEmbeddedServer((open) => {
  /** Runs two presses. A window may open between the first reading and the first touch, and once more after it. */
  const run = async (dialog: string | undefined, times = 2, next: RawAction = click('Remove')) => {
    const bench = await open()
    await bench.visit(APP, 'obstacles:home')
    let shown = 0
    const show = () => {
      if (shown < times && dialog !== undefined) bench.phone.showDialog(APP, dialog)
      shown += 1
    }
    const { stepResults } = await bench.execute([click('Remove it'), next], {
      onReading: () => {
        if (shown === 0) show()
      },
      onStepFinished: () => Promise.resolve(show()),
    })
    return { bench, last: stepResults.at(-1) }
  }

  test('a press that a window took is repeated after the window was dismissed', async () => {
    const { bench, last } = await run('rate')
    expect(last).toMatchObject({ success: true, data: { repeated: 's1', dismissed: 'Später' } })
    expect(saved(bench)).toMatchObject({ picked: 'removed', agreed: 0 })
  })

  test('a press that leads to the next touch is repeated if the window closed by it', async () => {
    const { bench, last } = await run('rate', 1)
    expect(last).toMatchObject({ success: true, data: { repeated: 's1' } })
    expect(saved(bench)).toMatchObject({ picked: 'removed', agreed: 0 })
  })

  test('a press before an expectation is not repeated if no window was dismissed', async () => {
    const expectation = { type: 'expect', params: { matcher: { text: 'Remove' }, timeoutMs: 500 } }
    const { bench, last } = await run('rate', 1, expectation)
    expect(last).toMatchObject({ success: false, data: { error: 'VERIFY_FAILED' } })
    expect(last?.data).not.toHaveProperty('repeated')
    expect(saved(bench)).toMatchObject({ agreed: 0 })
  })
})
