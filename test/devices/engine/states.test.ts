import { expect, test } from 'vitest'
import type { StateRecord } from '@apprentice/phone/phone.ts'
import { type Bench, overEmbeddedServer } from './bench.ts'

const APP = 'org.example.states'
const once = { retry: { maxAttempts: 1 } }
const click = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'click',
  params: { matcher: { textEquals: text }, ...once },
  ...more,
})
const claim = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: 'expect',
  params: { matcher: { textEquals: text }, settled: true, timeoutMs: 500, ...more },
})
const saved = (bench: Bench) => bench.phone.state(APP).saved

overEmbeddedServer((open) => {
  const opened = async (link: string, state: StateRecord = {}) => {
    const bench = await open()
    await bench.visit(APP, `states:${link}`)
    bench.phone.setState(APP, { saved: state })
    return bench
  }

  const landmarks = ['Places', 'All'].map((text) => ({ textEquals: text, selected: true }))
  const search = { type: 'scroll_and_click', params: { matcher: { textEquals: 'Item 7' }, bothWays: true } }

  test('after a tab the filter of its page is set as it was', async () => {
    const bench = await opened('places', { tab: 'people', filter: 'mine' })
    const { success, data } = await bench.step(search, { landmarks })
    expect({ success, restored: data['restored'] }).toEqual({ success: true, restored: 'All' })
    expect(saved(bench)).toMatchObject({ tab: 'places', filter: 'all', picked: 'item 7' })
  })

  test('a filter is known by its line, also if tabs and filters are siblings', async () => {
    const bench = await opened('places', { filter: 'mine' })
    expect(await bench.step(search, { landmarks: landmarks.slice(1) })).toMatchObject({ success: true })
    expect(saved(bench)).toMatchObject({ filter: 'all', picked: 'item 7' })
  })

  test('the run goes back to a passed page that shows the outcome', async () => {
    const bench = await opened('networks')
    const { status, stepResults } = await bench.execute([
      click('Home'),
      click('Connect', { doneIfMissing: true }),
      claim('Connected to Home'),
    ])
    expect({ status, data: stepResults[1]?.data }).toMatchObject({ status: 'success', data: { already: 'true' } })
    expect(bench.phone.foreground()).toMatchObject({ screen: 'networks' })
  })

  test.each([
    ['is done if a control says the opposite', 'Mute', { muted: true }, true],
    ['is not done if the opposite is about another thing', 'Add friend', { muted: true }, false],
  ])('a press whose control is missing %s', async (_name, label, state, done) => {
    const bench = await opened('person', state)
    const { status, stepResults } = await bench.execute([
      click(label, { doneIfReversed: true }),
      claim('Ada Lovelace', { added: true }),
    ])
    expect(status).toBe(done ? 'success' : 'failed')
    expect(stepResults[0]?.data['already']).toBe(done ? 'true' : undefined)
    expect(saved(bench)).toMatchObject({ touches: 0 })
  })

  test('a control that says the opposite is no outcome if a claim does not hold', async () => {
    const bench = await opened('person', { muted: true })
    const { stepResults } = await bench.execute([click('Mute', { doneIfReversed: true }), claim('Grace Hopper')])
    expect(stepResults[0]).toMatchObject({ success: false, data: { error: 'NODE_NOT_FOUND' } })
  })

  test('a press that only opens something is repeated if nothing came and a tip went', async () => {
    const bench = await opened('tips')
    const { stepResults } = await bench.execute([click('Open', { repeatable: true }), click('Mute')])
    expect(stepResults[1]).toMatchObject({ success: true, data: { repeated: 's1' } })
    expect(saved(bench)).toMatchObject({ tip: false, touches: 1 })
  })

  test('a press that may do something is not repeated because a tip went', async () => {
    const bench = await opened('tips')
    const { stepResults } = await bench.execute([click('Open'), click('Mute')])
    expect(stepResults[1]).toMatchObject({ success: false, data: { error: 'NODE_NOT_FOUND' } })
    expect(saved(bench)).toMatchObject({ touches: 0 })
  })

  const english = ['Save', 'All tasks', 'Due today', 'Help']
  const german = ['Speichern', 'Alle Aufgaben', 'Heute fällig', 'Hilfe']
  const message = {
    type: 'expect',
    params: {
      matcher: { class: 'android.widget.TextView', textEquals: 'Task added' },
      added: true,
      stableReads: 1,
      timeoutMs: 500,
    },
  }
  const press = { type: 'click', params: { matcher: { resourceId: `${APP}:id/save` }, ...once } }

  test.each([
    ['in another language any new text', english, 'Aufgabe hinzugefügt', true],
    ['in another language no text that tells of a failure', english, 'Speichern fehlgeschlagen', false],
    ['in the same language only its own words', german, 'Aufgabe hinzugefügt', false],
  ])('a message is %s', async (_name, words, said, seen) => {
    const bench = await opened('tasks', { said })
    const { stepResults } = await bench.execute([press, message], { words })
    expect(stepResults[1]?.success).toBe(seen)
  })
})
