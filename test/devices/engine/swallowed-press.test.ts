import { expect, test } from 'vitest'
import { type Bench, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.obstacles'
const once = { retry: { maxAttempts: 1 } }
const click = (text: string) => ({ type: 'click', params: { matcher: { text }, ...once } })
const saved = (bench: Bench) => bench.phone.state(APP).saved

overEmbeddedServer((open) => {
  /** Runs two presses. A window may open between the first reading and the first touch, and once more after it. */
  const run = async (dialog: string | undefined, first = click('Remove it')) => {
    const bench = await open()
    await bench.visit(APP, 'obstacles:home')
    let shown = 0
    const show = () => {
      if (shown < 2 && dialog !== undefined) bench.phone.showDialog(APP, dialog)
      shown += 1
    }
    const { stepResults } = await bench.execute([first, click('Remove')], {
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

  test('a press is not repeated if no window was dismissed', async () => {
    const { last } = await run(undefined, click('Welcome back'))
    expect(last).toMatchObject({ success: false, data: { error: 'NODE_NOT_FOUND' } })
    expect(last?.data).not.toHaveProperty('repeated')
  })

  /** A sheet opens between the reading and the touch. The touch only closes it, and no reading shows it. */
  const runBehindSheet = async (first: ReturnType<typeof click> & { readonly repeatable?: boolean }) => {
    const bench = await open()
    await bench.visit(APP, 'obstacles:home')
    let isRead = false
    const { stepResults } = await bench.execute([first, click('Remove')], {
      onReading: () => {
        if (!isRead) bench.phone.setState(APP, { saved: { sheet: true } })
        isRead = true
      },
    })
    return { bench, last: stepResults.at(-1) }
  }

  test('a press that only opens something is repeated if the screen stays as it was', async () => {
    const { bench, last } = await runBehindSheet({ ...click('Remove it'), repeatable: true })
    expect(last).toMatchObject({ success: true, data: { repeated: 's1' } })
    expect(saved(bench)).toMatchObject({ left: 'outside', picked: 'removed' })
  })

  test('a press that may do something is not repeated', async () => {
    const { bench, last } = await runBehindSheet(click('Remove it'))
    expect(last).toMatchObject({ success: false, data: { error: 'NODE_NOT_FOUND' } })
    expect(saved(bench)).toMatchObject({ left: 'outside', picked: '' })
  })
})
