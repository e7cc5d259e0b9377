import { expect, test } from 'vitest'
import { APP, appWith, main } from './document-app.ts'
import { dump, find, launch, run, tap, texts } from './phone-shell.ts'

test('rows and columns are laid out by size, weight, gap and padding', async () => {
  const { phone } = await appWith(
    main({
      content: [
        {
          type: 'row',
          id: 'row',
          height: 200,
          padding: [40, 0],
          gap: 20,
          children: [
            { type: 'stack', id: 'fixed', width: 180, height: 100, description: 'a', children: [] },
            { type: 'stack', id: 'one', weight: 1, height: 100, description: 'b', children: [] },
            { type: 'stack', id: 'three', weight: 3, height: 100, description: 'c', children: [] },
          ],
        },
        { type: 'text', id: 'placed', text: 'x', at: { x: 700, y: 900, width: 100, height: 50 } },
        { type: 'stack', id: 'rest', height: 'fill', description: 'd', children: [] },
      ],
    }),
  )
  const bounds = async (id: string) => (await find(phone, id)).attributes['bounds']
  expect(await bounds('row')).toBe('[0,84][1080,284]')
  expect(await bounds('fixed')).toBe('[40,134][220,234]')
  expect(await bounds('one')).toBe('[240,134][435,234]')
  expect(await bounds('three')).toBe('[455,134][1040,234]')
  expect(await bounds('placed')).toBe('[700,984][800,1034]')
  expect(await bounds('rest')).toBe('[0,284][1080,2274]')
})

test('long text wraps at its width and grows in height', async () => {
  const { phone } = await appWith(
    main({
      content: [
        { type: 'text', id: 'long', text: 'word '.repeat(40).trim() },
        { type: 'text', id: 'after', text: 'after' },
      ],
    }),
  )
  const long = await find(phone, 'long')
  expect(long.box.right).toBeLessThanOrEqual(1080)
  expect(long.box.bottom - long.box.top).toBeGreaterThan(200)
  expect((await find(phone, 'after')).box.top).toBe(long.box.bottom)
})

test('a list displays only visible rows, clips them at its edge and stops scrolling at its ends', async () => {
  const items = Array.from({ length: 40 }, (_unused, id) => ({ id, name: `Row ${id}` }))
  const { phone } = await appWith({
    saved: { items },
    ...main({
      content: [
        {
          type: 'list',
          id: 'list',
          items: 'saved.items',
          template: [{ type: 'text', id: 'entry', text: '{item.name}', height: 100, width: 'fill' }],
        },
      ],
    }),
  })
  const rows = async () =>
    (await dump(phone)).filter(({ attributes }) => attributes['resource-id'] === `${APP}:id/entry`)
  expect((await find(phone, 'list')).attributes['scrollable']).toBe('true')
  expect(await rows()).toHaveLength(22)
  expect((await rows()).at(-1)?.attributes).toMatchObject({
    text: 'Row 21',
    index: '21',
    bounds: '[0,2184][1080,2274]',
  })
  await run(phone, 'input swipe 500 1500 500 1250')
  expect((await rows())[0]?.attributes).toMatchObject({
    text: 'Row 2',
    index: '0',
    bounds: '[0,84][1080,134]',
  })
  for (let swipes = 0; swipes < 5; swipes += 1) await run(phone, 'input swipe 500 2000 500 500')
  expect((await rows()).at(-1)?.attributes).toMatchObject({
    text: 'Row 39',
    bounds: '[0,2174][1080,2274]',
  })
  for (let swipes = 0; swipes < 5; swipes += 1) await run(phone, 'input swipe 500 500 500 2000')
  expect((await rows())[0]?.attributes['text']).toBe('Row 0')
})

test('a horizontal list scrolls sideways and the scroll box around it scrolls vertically', async () => {
  const items = Array.from({ length: 10 }, (_unused, id) => ({ id }))
  const { phone } = await appWith({
    saved: { items },
    ...main({
      content: [
        {
          type: 'scroll',
          children: [
            {
              type: 'list',
              id: 'strip',
              direction: 'horizontal',
              items: 'saved.items',
              template: [{ type: 'text', text: 'Card {item.id}', width: 300, height: 200 }],
            },
            {
              type: 'each',
              items: 'saved.items',
              template: [{ type: 'text', text: 'Line {item.id}', height: 300 }],
            },
          ],
        },
      ],
    }),
  })
  expect(await texts(phone)).not.toContain('Card 9')
  for (let swipes = 0; swipes < 4; swipes += 1) await run(phone, 'input swipe 1000 150 100 150')
  expect(await texts(phone)).toContain('Card 9')
  await run(phone, 'input swipe 500 150 500 20')
  expect(await texts(phone)).toContain('Card 9')
  await run(phone, 'input swipe 500 1800 500 300; input swipe 500 1800 500 300')
  expect(await texts(phone)).toContain('Line 9')
  expect(await texts(phone)).not.toContain('Card 9')
})

test('saved state survives a stop, memory ends with the process, local with the screen', async () => {
  const plus = (target: string) => ({
    type: 'button',
    text: target,
    on_tap: [{ do: 'add', target, by: 1 }],
  })
  const { phone } = await appWith({
    saved: { n: 0 },
    memory: { n: 0 },
    screens: {
      main: { content: [{ type: 'button', text: 'go', on_tap: [{ do: 'open', screen: 'sub' }] }] },
      sub: {
        local: { n: 0 },
        content: [
          plus('saved.n'),
          plus('memory.n'),
          plus('local.n'),
          { type: 'text', id: 'sum', text: '{saved.n}{memory.n}{local.n}' },
        ],
      },
    },
  })
  const bump = async () => {
    await tap(phone, 'go')
    for (const name of ['saved.n', 'memory.n', 'local.n']) await tap(phone, name)
    return (await find(phone, 'sum')).attributes['text']
  }
  expect(await bump()).toBe('111')
  await run(phone, 'input keyevent 4')
  expect(await bump()).toBe('221')
  await run(phone, `am force-stop ${APP}`)
  await launch(phone, APP)
  expect(await bump()).toBe('311')
  phone.resetApp(APP)
  expect(phone.state(APP).saved).toEqual({ n: 0 })
})

test('a pop-up opens after its delay and at most "times" times', async () => {
  const { phone, clock } = await appWith({
    memory: { n: 0 },
    screens: {
      main: {
        content: [{ type: 'button', text: 'more', on_tap: [{ do: 'add', target: 'memory.n', by: 1 }] }],
      },
    },
    dialogs: { rate: { title: 'Rate us', cancelable: false, buttons: [{ text: 'No' }] } },
    popups: [{ when: "here == 'main' && memory.n % 2 == 1", after_ms: 500, dialog: 'rate', times: 2 }],
  })
  const openDialog = () => phone.foreground()?.dialog
  await tap(phone, 'more')
  expect(openDialog()).toBeUndefined()
  clock.advance(500)
  expect(openDialog()).toBe('Rate us')
  await run(phone, 'input keyevent 4; input tap 5 1200')
  expect(openDialog()).toBe('Rate us')
  await tap(phone, 'No')
  clock.advance(5000)
  expect(openDialog()).toBeUndefined()
  await tap(phone, 'more')
  await tap(phone, 'more')
  clock.advance(500)
  expect(openDialog()).toBe('Rate us')
  await tap(phone, 'No')
  await tap(phone, 'more')
  await tap(phone, 'more')
  clock.advance(500)
  expect(openDialog()).toBeUndefined()
})

test('delayed actions run in order of their due time and not after the app was stopped', async () => {
  const later = (ms: number, text: string) => ({
    do: 'after',
    ms,
    actions: [{ do: 'set', target: 'saved.log', value: `{saved.log}${text}` }],
  })
  const { phone, clock } = await appWith({
    saved: { log: '' },
    ...main({
      content: [
        {
          type: 'button',
          text: 'go',
          on_tap: [later(300, 'b'), later(100, 'a'), later(9000, 'c')],
        },
      ],
    }),
  })
  await tap(phone, 'go')
  clock.advance(50)
  expect(phone.state(APP).saved['log']).toBe('')
  clock.advance(5000)
  expect(phone.state(APP).saved['log']).toBe('ab')
  await run(phone, `am force-stop ${APP}`)
  clock.advance(60_000)
  expect(phone.state(APP).saved['log']).toBe('ab')
})

test('a delay inside a delayed action, and the loading of a screen it opens, count from when the action was due', async () => {
  const { phone, clock } = await appWith({
    saved: { state: 'idle' },
    screens: {
      main: {
        title: 'Main',
        content: [
          {
            type: 'button',
            text: 'go',
            on_tap: [
              {
                do: 'after',
                ms: 300,
                actions: [
                  { do: 'set', target: 'saved.state', value: 'saved' },
                  { do: 'after', ms: 2000, actions: [{ do: 'set', target: 'saved.state', value: 'reverted' }] },
                  { do: 'replace', screen: 'result' },
                ],
              },
            ],
          },
        ],
      },
      result: { title: 'Result', loading_ms: 1000, content: [{ type: 'text', text: 'done' }] },
    },
  })
  await tap(phone, 'go')
  clock.advance(2000)
  expect(phone.state(APP).saved['state']).toBe('saved')
  await find(phone, 'done')
  clock.advance(400)
  expect(phone.state(APP).saved['state']).toBe('reverted')
})

test('components receive "with", and fields of the use node override those of the component', async () => {
  const { phone } = await appWith({
    components: {
      pair: {
        type: 'row',
        description: 'default',
        children: [{ type: 'text', text: '{with.name}: {with.value + 1}' }],
      },
    },
    ...main({
      content: [
        { type: 'use', component: 'pair', with: { name: 'a', value: '{1}' } },
        {
          type: 'use',
          component: 'pair',
          with: { name: 'b', value: '{2}' },
          description: 'mine',
          visible: 'true',
        },
        { type: 'use', component: 'pair', with: { name: 'c', value: '{3}' }, visible: 'false' },
      ],
    }),
  })
  expect(await texts(phone)).toEqual(['a: 2', 'b: 3'])
  expect((await find(phone, 'mine')).attributes['class']).toBe('android.widget.LinearLayout')
})

test('strings are looked up by locale, then language, then default locale', async () => {
  const { phone } = await appWith({
    strings: {
      en: { hello: 'Hello {1 + 1}', only: 'Only English' },
      de: { hello: 'Hallo' },
      'de-AT': { hello: 'Servus' },
    },
    ...main({
      content: [
        { type: 'text', text: '@hello' },
        { type: 'text', text: "{t('only')}" },
        { type: 'text', text: '@@at {{braces}}' },
      ],
    }),
  })
  expect(await texts(phone)).toEqual(['Hello 2', 'Only English', '@at {braces}'])
  phone.setLocale('de-DE')
  expect(await texts(phone)).toEqual(['Hallo', 'Only English', '@at {braces}'])
  phone.setLocale('de-AT')
  expect((await texts(phone))[0]).toBe('Servus')
  phone.setLocale('fr-FR')
  expect((await texts(phone))[0]).toBe('Hello 2')
})

test('a string that refers to itself renders as its key', async () => {
  const { phone } = await appWith({
    strings: { en: { a: "a{t('b')}", b: "b{t('a')}" } },
    ...main({ content: [{ type: 'text', text: '@a' }] }),
  })
  expect(await texts(phone)).toEqual(['aba'])
})

test('screens that open each other without end are stopped and the phone stays usable', async () => {
  const { phone } = await appWith({
    launch_screen: 'start',
    screens: {
      start: { content: [{ type: 'button', text: 'loop', on_tap: [{ do: 'open', screen: 'a' }] }] },
      a: { content: [], on_open: [{ do: 'open', screen: 'b' }] },
      b: { content: [], on_open: [{ do: 'open', screen: 'a' }] },
    },
  })
  await tap(phone, 'loop')
  expect((await run(phone, 'logcat -d *:E')).stdout).toContain('nested too deep')
  await run(phone, 'input keyevent HOME')
  expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
})

test('a disabled button consumes the touch and a label passes it to the enclosing row', async () => {
  const { phone } = await appWith({
    saved: { n: 0 },
    ...main({
      content: [
        {
          type: 'row',
          on_tap: [{ do: 'add', target: 'saved.n', by: 1 }],
          children: [
            { type: 'text', text: 'label', weight: 1 },
            {
              type: 'button',
              text: 'disabled',
              enabled: 'false',
              on_tap: [{ do: 'add', target: 'saved.n', by: 100 }],
            },
          ],
        },
      ],
    }),
  })
  await tap(phone, 'label')
  await tap(phone, 'disabled')
  expect(phone.state(APP).saved['n']).toBe(1)
})
