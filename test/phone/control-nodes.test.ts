import { expect, test } from 'vitest'
import { APP, appWith, main } from './document-app.ts'
import { dump, find, run, tap, texts, type } from './phone-shell.ts'

test('segments and chips write the value of the option and say which one is chosen', async () => {
  const { phone } = await appWith({
    saved: { size: 'M', rooms: [{ name: 'Hall' }, { name: 'Attic' }], chosen: [], changes: 0 },
    ...main({
      content: [
        {
          type: 'choice',
          bind: 'saved.size',
          on_change: [{ do: 'add', target: 'saved.changes', by: 1 }],
          options: [
            { value: 'S', text: 'Small', id: 'small' },
            { value: 'M', text: 'Medium' },
            { value: 'L', text: 'Large', enabled: 'false' },
          ],
        },
        {
          type: 'choice',
          look: 'chips',
          multiple: true,
          bind: 'saved.chosen',
          options: [{ items: 'saved.rooms', value: '{item.name}', text: '{item.name}' }],
        },
      ],
    }),
  })
  const checked = async () =>
    (await dump(phone))
      .filter(({ attributes }) => attributes['checked'] === 'true')
      .map(({ attributes }) => attributes['text'])
  expect(await checked()).toEqual(['Medium'])
  await tap(phone, 'small')
  await tap(phone, 'small')
  await tap(phone, 'Large')
  expect(phone.state(APP).saved).toMatchObject({ size: 'S', changes: 1 })
  await tap(phone, 'Attic')
  await tap(phone, 'Hall')
  expect(phone.state(APP).saved['chosen']).toEqual(['Attic', 'Hall'])
  await tap(phone, 'Attic')
  expect(await checked()).toEqual(['Small', 'Hall'])
  expect((await find(phone, 'Hall')).attributes['class']).toBe('android.widget.CheckBox')
})

test('a bottom bar selects an option and describes it', async () => {
  const { phone } = await appWith({
    saved: { tab: 'home' },
    ...main({
      content: [
        { type: 'column', height: 'fill', children: [] },
        {
          type: 'choice',
          look: 'bottom_bar',
          bind: 'saved.tab',
          options: [
            { value: 'home', text: 'Home', icon: 'h' },
            { value: 'more', text: 'More', icon: 'm' },
          ],
        },
      ],
    }),
  })
  const bars = async () => (await dump(phone)).filter(({ attributes }) => attributes['clickable'] === 'true')
  expect((await bars()).map(({ attributes }) => [attributes['content-desc'], attributes['selected']])).toEqual([
    ['Home', 'true'],
    ['More', 'false'],
  ])
  await tap(phone, 'More')
  expect(phone.state(APP).saved['tab']).toBe('more')
})

test('a wheel turns by taps and by the length of a swipe and stops at its ends', async () => {
  const { phone } = await appWith({
    saved: { hour: 7, unit: 'kg' },
    ...main({
      content: [
        { type: 'wheel', id: 'hours', bind: 'saved.hour', min: 0, max: 23, text: '{pad(it, 2)}' },
        { type: 'wheel', bind: 'saved.unit', options: "split('g,kg,t', ',')" },
      ],
    }),
  })
  expect(await texts(phone)).toEqual(['06', '07', '08', 'g', 'kg', 't'])
  expect((await find(phone, 'numberpicker_input')).attributes).toMatchObject({
    text: '07',
    class: 'android.widget.EditText',
  })
  await tap(phone, '08')
  expect(phone.state(APP).saved['hour']).toBe(8)
  const { box } = await find(phone, 'hours')
  await run(phone, `input swipe 100 ${box.bottom - 20} 100 ${box.bottom - 320}`)
  expect(phone.state(APP).saved['hour']).toBe(10)
  for (let turns = 0; turns < 6; turns += 1) await run(phone, `input swipe 100 ${box.top + 20} 100 ${box.top + 400}`)
  expect(phone.state(APP).saved['hour']).toBe(0)
  expect(await texts(phone)).toEqual(['00', '01', 'g', 'kg', 't'])
  await tap(phone, 't')
  expect(phone.state(APP).saved['unit']).toBe('t')
})

test('a calendar displays months, disables days outside its range and writes a date', async () => {
  const { phone } = await appWith({
    saved: { day: '2026-03-02' },
    ...main({ content: [{ type: 'calendar', bind: 'saved.day', min: "'2026-03-02'", max: "'2026-04-20'" }] }),
  })
  expect(await texts(phone)).toContain('March 2026')
  expect((await find(phone, '02 March 2026')).attributes).toMatchObject({ text: '2', checked: 'true', enabled: 'true' })
  expect((await find(phone, '01 March 2026')).attributes['enabled']).toBe('false')
  expect((await find(phone, 'Previous month')).attributes['enabled']).toBe('false')
  await tap(phone, '01 March 2026')
  expect(phone.state(APP).saved['day']).toBe('2026-03-02')
  await tap(phone, 'Next month')
  expect(await texts(phone)).toContain('April 2026')
  expect((await dump(phone)).filter(({ attributes }) => /^\d+$/.test(attributes['text'] ?? ''))).toHaveLength(30)
  await tap(phone, '14 April 2026')
  expect(phone.state(APP).saved['day']).toBe('2026-04-14')
  await run(phone, 'input swipe 300 700 900 700')
  phone.setLocale('de-DE')
  expect(await texts(phone)).toContain('März 2026')
  expect((await find(phone, '30 März 2026')).box.left).toBe(0)
})

test('the hint of a field is its text, a child, its description or only drawn', async () => {
  const field = (name: string, more: object) => ({
    type: 'field',
    id: name,
    hint: `Hint ${name}`,
    bind: `saved.${name}`,
    ...more,
  })
  const { phone } = await appWith(
    {
      saved: { a: '', b: '', c: '', d: '', e: '' },
      ...main({
        content: [
          field('a', {}),
          field('b', { hint_as: 'label' }),
          field('c', { hint_as: 'placeholder' }),
          field('d', { hint_as: 'description' }),
          field('e', { hint_as: 'none' }),
        ],
      }),
    },
    { dumpHints: true },
  )
  const read = async (id: string) => {
    const { attributes } = await find(phone, id)
    return [attributes['text'], attributes['content-desc'], attributes['hint']]
  }
  expect(await read('a')).toEqual(['Hint a', '', 'Hint a'])
  expect(await read('b')).toEqual(['', '', 'Hint b'])
  expect(await read('d')).toEqual(['', 'Hint d', 'Hint d'])
  expect(await read('e')).toEqual(['', '', 'Hint e'])
  expect(await texts(phone)).toEqual(['Hint a', 'Hint b', 'Hint c'])
  for (const id of ['a', 'b', 'c']) await type(phone, id, 'x')
  expect(await texts(phone)).toEqual(['x', 'x', 'Hint b', 'x'])
})

test('dumps have no hint attribute unless the phone is set to print it', async () => {
  const { phone } = await appWith({
    saved: { a: '' },
    ...main({ content: [{ type: 'field', id: 'a', hint: 'A', bind: 'saved.a' }] }),
  })
  expect((await find(phone, 'a')).attributes).not.toHaveProperty('hint')
})

test('a full field passes the focus to the next one', async () => {
  const digit = (at: number) => ({
    type: 'field',
    id: `d${at}`,
    bind: `saved.code[${at}]`,
    max_length: 1,
    advance: true,
    keyboard: 'digits',
    width: 200,
  })
  const { phone } = await appWith({
    saved: { code: ['', '', '', ''] },
    ...main({ content: [{ type: 'row', children: [0, 1, 2, 3].map(digit) }] }),
  })
  await type(phone, 'd0', '123')
  expect(phone.state(APP).saved['code']).toEqual(['1', '2', '3', ''])
  expect((await find(phone, 'd3')).attributes['focused']).toBe('true')
  await phone.person.typeText('4')
  await phone.person.typeText('a')
  expect(phone.state(APP).saved['code']).toEqual(['1', '2', '3', '4'])
})

test('a keyboard that covers the content takes the touches until it is hidden', async () => {
  const screen = (keyboard: string) => ({
    saved: { name: '', sent: 0 },
    ...main({
      keyboard,
      content: [
        { type: 'field', id: 'name', bind: 'saved.name' },
        { type: 'column', height: 'fill', children: [] },
        { type: 'button', text: 'Send', on_tap: [{ do: 'add', target: 'saved.sent', by: 1 }] },
      ],
    }),
  })
  const covering = await appWith(screen('cover'))
  await tap(covering.phone, 'name')
  const { box } = await find(covering.phone, 'Send')
  expect(box.bottom).toBe(2274)
  await tap(covering.phone, 'Send')
  expect(covering.phone.state(APP).saved['sent']).toBe(0)
  await run(covering.phone, 'input keyevent 4')
  await tap(covering.phone, 'Send')
  expect(covering.phone.state(APP).saved['sent']).toBe(1)
  const resizing = await appWith(screen('resize'))
  await tap(resizing.phone, 'name')
  expect((await find(resizing.phone, 'Send')).box.bottom).toBeLessThan(1600)
})

test('a field can have the focus when its screen opens, and does not take it again', async () => {
  const { phone } = await appWith({
    saved: { query: 'ab' },
    ...main({
      content: [
        { type: 'field', id: 'query', bind: 'saved.query', autofocus: true },
        { type: 'column', height: 'fill', children: [] },
        { type: 'button', text: 'Below' },
      ],
    }),
  })
  expect((await find(phone, 'Below')).box.bottom).toBeLessThan(1600)
  await phone.person.typeText('c')
  expect(phone.state(APP).saved['query']).toBe('abc')
  await run(phone, 'input keyevent 4')
  expect((await find(phone, 'Below')).box.bottom).toBe(2274)
})
