import { expect, test } from 'vitest'
import { APP, appWith, main } from './document-app.ts'
import { centre, dump, find, run, tap, texts } from './phone-shell.ts'

const people = ['Ada', 'Ben', 'Cleo'].map((name, index) => ({ id: index + 1, name }))
const log = (text: string) => ({ do: 'set', target: 'saved.log', value: `{saved.log}${text}` })

const swipe = async (phone: Parameters<typeof find>[0], name: string, dx: number, dy: number) => {
  const [x, y] = centre(await find(phone, name))
  await run(phone, `input swipe ${x} ${y} ${x + dx} ${y + dy}`)
}

test('a swipe on a row runs the actions of its direction and no other', async () => {
  const { phone } = await appWith({
    saved: { people, log: '' },
    ...main({
      content: [
        {
          type: 'list',
          items: 'saved.people',
          template: [
            {
              type: 'row',
              height: 150,
              on_tap: [log('tap')],
              on_swipe: {
                left: [{ do: 'remove', target: 'saved.people', where: 'it.id == item.id' }],
                right: [log('{item.name}')],
              },
              children: [{ type: 'text', text: '{item.name}' }],
            },
          ],
        },
      ],
    }),
  })
  await swipe(phone, 'Ben', 300, 0)
  expect(phone.state(APP).saved['log']).toBe('Ben')
  await swipe(phone, 'Ben', 0, 300)
  await swipe(phone, 'Ben', -300, 0)
  expect(await texts(phone)).toEqual(['Ada', 'Cleo'])
  expect(phone.state(APP).saved['log']).toBe('Ben')
})

test('a swipe to the left reveals the actions of a row, a swipe to the right hides them', async () => {
  const { phone } = await appWith({
    saved: { people },
    ...main({
      content: [
        {
          type: 'list',
          items: 'saved.people',
          template: [
            {
              type: 'row',
              height: 150,
              reveal: [
                {
                  type: 'button',
                  text: 'Delete {item.name}',
                  on_tap: [{ do: 'remove', target: 'saved.people', where: 'it.id == item.id' }],
                },
              ],
              children: [{ type: 'text', text: '{item.name}', weight: 1 }],
            },
          ],
        },
      ],
    }),
  })
  expect(await texts(phone)).toEqual(['Ada', 'Ben', 'Cleo'])
  await swipe(phone, 'Ben', -300, 0)
  expect(await texts(phone)).toEqual(['Ada', 'Ben', 'Delete Ben', 'Cleo'])
  expect((await find(phone, 'Delete Ben')).box.right).toBe(1080)
  await swipe(phone, 'Delete Ben', 300, 0)
  expect(await texts(phone)).not.toContain('Delete Ben')
  await swipe(phone, 'Ben', -300, 0)
  await tap(phone, 'Delete Ben')
  expect(await texts(phone)).toEqual(['Ada', 'Cleo'])
})

const reorder = (hold: boolean) => ({
  saved: { people },
  ...main({
    content: [
      {
        type: 'list',
        items: 'saved.people',
        template: [
          {
            type: 'row',
            height: 150,
            on_drop: [{ do: 'move', target: 'saved.people', where: 'it.id == dropped', to: 'index' }],
            children: [
              { type: 'text', text: '{item.name}', weight: 1 },
              { type: 'image', description: 'Move {item.name}', drag: '{item.id}', drag_hold: hold },
            ],
          },
        ],
      },
    ],
  }),
})

test('a handle drags a row to another place', async () => {
  const { phone } = await appWith(reorder(false))
  await swipe(phone, 'Move Ada', 0, 300)
  expect(await texts(phone)).toEqual(['Ben', 'Cleo', 'Ada'])
  await swipe(phone, 'Ben', 0, 300)
  expect(await texts(phone)).toEqual(['Ben', 'Cleo', 'Ada'])
})

test('a drag that needs a long press ignores a plain swipe', async () => {
  const { phone } = await appWith(reorder(true))
  await swipe(phone, 'Move Ada', 0, 300)
  expect(await texts(phone)).toEqual(['Ada', 'Ben', 'Cleo'])
  const [x, y] = centre(await find(phone, 'Move Ada'))
  await phone.person.drag([x, y], [x, y + 150])
  expect(await texts(phone)).toEqual(['Ben', 'Ada', 'Cleo'])
  await run(phone, `input draganddrop ${x} ${y} ${x} ${y + 300}`)
  expect(await texts(phone)).toEqual(['Ada', 'Cleo', 'Ben'])
})

test('a pull at the top of a list refreshes it and its end loads more entries', async () => {
  const { phone } = await appWith({
    saved: { rows: Array.from({ length: 20 }, (_unused, id) => ({ id })), pulls: 0 },
    ...main({
      content: [
        {
          type: 'list',
          items: 'saved.rows',
          on_swipe: { down: [{ do: 'add', target: 'saved.pulls', by: 1 }] },
          on_end: [
            {
              do: 'if',
              when: 'len(saved.rows) < 40',
              actions: [
                {
                  do: 'for_each',
                  items: 'range(1, 10)',
                  actions: [{ do: 'append', target: 'saved.rows', value: { id: '{len(saved.rows)}' } }],
                },
              ],
            },
          ],
          template: [{ type: 'text', text: 'Row {item.id}', height: 200 }],
        },
      ],
    }),
  })
  const saved = () => phone.state(APP).saved as { rows: unknown[]; pulls: number }
  await run(phone, 'input swipe 500 500 500 1200')
  expect(saved().pulls).toBe(1)
  await run(phone, 'input swipe 500 1800 500 1700')
  await run(phone, 'input swipe 500 500 500 900')
  expect(saved()).toMatchObject({ pulls: 1 })
  expect(saved().rows).toHaveLength(20)
  await run(phone, 'input swipe 500 2200 500 100')
  expect(saved().rows).toHaveLength(30)
  expect(saved().rows.at(-1)).toEqual({ id: 29 })
  expect(await texts(phone)).not.toContain('Row 29')
})

test('a pager displays the next page after a swipe and shares its number with the tabs', async () => {
  const { phone } = await appWith({
    saved: { page: 0 },
    ...main({
      content: [
        {
          type: 'choice',
          look: 'tabs',
          bind: 'saved.page',
          options: [
            { value: '{0}', text: 'News' },
            { value: '{1}', text: 'Mail' },
          ],
        },
        {
          type: 'pager',
          id: 'pages',
          bind: 'saved.page',
          children: [
            { type: 'text', text: 'first page' },
            { type: 'text', text: 'second page' },
          ],
        },
      ],
    }),
  })
  const selected = async () =>
    (await dump(phone))
      .filter(({ attributes }) => attributes['clickable'] === 'true')
      .map(({ attributes }) => attributes['selected'])
  expect(await texts(phone)).toEqual(['News', 'Mail', 'first page'])
  expect((await find(phone, 'pages')).attributes['scrollable']).toBe('true')
  await run(phone, 'input swipe 900 1500 200 1500')
  expect(await texts(phone)).toEqual(['News', 'Mail', 'second page'])
  expect(await selected()).toEqual(['false', 'true'])
  await run(phone, 'input swipe 900 1500 200 1500')
  expect(await texts(phone)).toContain('second page')
  await tap(phone, 'News')
  expect(await texts(phone)).toContain('first page')
})

test('any node can be checked, have an id without package and be drawn without being dumped', async () => {
  const { phone } = await appWith({
    saved: { on: true },
    ...main({
      content: [
        {
          type: 'row',
          id: ':row-1',
          checked: 'saved.on',
          on_tap: [{ do: 'toggle', target: 'saved.on' }],
          children: [{ type: 'text', text: 'Wi-Fi' }],
        },
        {
          type: 'column',
          dumped: false,
          children: [{ type: 'text', text: 'Canvas', on_tap: [{ do: 'toggle', target: 'saved.on' }] }],
        },
      ],
    }),
  })
  expect((await find(phone, 'row-1')).attributes).toMatchObject({
    checkable: 'true',
    checked: 'true',
    'resource-id': 'row-1',
  })
  await tap(phone, 'row-1')
  expect((await find(phone, 'row-1')).attributes['checked']).toBe('false')
  expect(await texts(phone)).toEqual(['Wi-Fi'])
  const canvas = phone.screenNodes().find(({ text }) => text === 'Canvas')
  await phone.person.touch(canvas?.bounds.left ?? 0, canvas?.bounds.top ?? 0)
  expect(phone.state(APP).saved).toEqual({ on: true })
})

test('a merged box has the words in it, one per line, and keeps what takes touches', async () => {
  const { phone } = await appWith(
    main({
      content: [
        {
          type: 'column',
          merged: true,
          on_tap: [],
          children: [
            { type: 'text', text: 'Milk' },
            {
              type: 'row',
              children: [
                { type: 'text', text: '2 l' },
                { type: 'button', text: 'Buy' },
              ],
            },
          ],
        },
      ],
    }),
  )
  const merged = await find(phone, 'Milk\n2 l')
  expect(merged.attributes['clickable']).toBe('true')
  const nodes = await dump(phone)
  const button = nodes.find(({ attributes }) => attributes['text'] === 'Buy')
  expect(button?.depth).toBe(merged.depth + 1)
  expect(button?.attributes['index']).toBe('0')
  expect(await texts(phone)).toEqual(['Buy'])
})

test('sections have headers and the topmost header stays in sight', async () => {
  const days = ['Monday', 'Tuesday']
  const items = Array.from({ length: 30 }, (_unused, id) => ({ id, day: days[id < 15 ? 0 : 1] }))
  const { phone } = await appWith({
    saved: { items },
    ...main({
      content: [
        {
          type: 'list',
          items: 'saved.items',
          section_by: 'item.day',
          sticky: true,
          section: [{ type: 'text', text: 'On {section}', height: 100, width: 'fill' }],
          template: [{ type: 'text', text: '{item.id} {section}', height: 200 }],
        },
      ],
    }),
  })
  expect((await texts(phone)).slice(0, 3)).toEqual(['On Monday', '0 Monday', '1 Monday'])
  await run(phone, 'input swipe 500 2000 500 900')
  expect((await find(phone, 'On Monday')).attributes['bounds']).toBe('[0,84][1080,184]')
  await run(phone, 'input swipe 500 2000 500 200')
  expect(await texts(phone)).toContain('On Monday')
  const [above, below] = [await find(phone, 'On Monday'), await find(phone, 'On Tuesday')]
  expect(above.box.bottom).toBeLessThanOrEqual(below.box.top)
  await run(phone, 'input swipe 500 2000 500 200')
  expect(await texts(phone)).not.toContain('On Monday')
  expect((await find(phone, 'On Tuesday')).box.top).toBe(84)
})

test('a screen with an animated node is never idle', async () => {
  const { phone } = await appWith({
    saved: { busy: true },
    ...main({ content: [{ type: 'text', text: 'x', animated: 'saved.busy' }] }),
  })
  expect((await run(phone, 'uiautomator dump /dev/tty')).stderr).toContain('could not get idle state')
  phone.setState(APP, { saved: { busy: false } })
  expect(await texts(phone)).toEqual(['x'])
})
