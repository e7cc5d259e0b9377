import { expect, test } from 'vitest'
import { APP, appWith, main } from './document-app.ts'
import { dump, find, run, tap, texts } from './phone-shell.ts'

const opener = { type: 'button', text: 'Open', on_tap: [{ do: 'dialog', dialog: 'sheet' }] }

test('a sheet inside the window leaves the screen in the dump and closes on a touch outside', async () => {
  const { phone } = await appWith({
    saved: { closed: 0, opened: 0 },
    ...main({ content: [opener] }),
    dialogs: {
      sheet: {
        place: 'bottom',
        in_screen: true,
        scrim_description: 'Close sheet',
        on_open: [{ do: 'add', target: 'saved.opened', by: 1 }],
        on_cancel: [{ do: 'add', target: 'saved.closed', by: 1 }],
        content: [{ type: 'text', text: 'Share' }],
      },
    },
  })
  await tap(phone, 'Open')
  expect(await texts(phone)).toEqual(['Open', 'Share'])
  expect((await find(phone, 'Share')).box.bottom).toBeGreaterThan(2100)
  expect(phone.state(APP).saved['opened']).toBe(1)
  await tap(phone, 'Open')
  expect(await texts(phone)).toEqual(['Open'])
  expect(phone.state(APP).saved).toEqual({ opened: 1, closed: 1 })
  await tap(phone, 'Open')
  await tap(phone, 'Share')
  expect(await texts(phone)).toContain('Share')
  await run(phone, 'input keyevent 4')
  expect(await texts(phone)).not.toContain('Share')
})

test('a menu opens where the screen was touched and is a window of its own', async () => {
  const { phone } = await appWith({
    ...main({
      content: [
        { type: 'spacer', height: 600 },
        { ...opener, width: 400 },
      ],
    }),
    dialogs: { sheet: { place: 'touch', content: [{ type: 'text', text: 'Rename' }] } },
  })
  const { box } = await find(phone, 'Open')
  await tap(phone, 'Open')
  expect(await texts(phone)).toEqual(['Rename'])
  expect((await find(phone, 'Rename')).box.top).toBeGreaterThan(box.top)
  expect((await find(phone, 'Rename')).box.top).toBeLessThan(box.bottom + 200)
})

test('a field in a sheet inside the window can be typed into', async () => {
  const { phone } = await appWith({
    saved: { name: '' },
    ...main({ content: [opener] }),
    dialogs: {
      sheet: { place: 'bottom', in_screen: true, content: [{ type: 'field', id: 'name', bind: 'saved.name' }] },
    },
  })
  await tap(phone, 'Open')
  await tap(phone, 'name')
  await phone.person.typeText('ada')
  expect(phone.state(APP).saved['name']).toBe('ada')
})

test('a snackbar is part of dumps for its time, runs its action and leaves with a swipe', async () => {
  const { phone, clock } = await appWith({
    saved: { count: 0 },
    ...main({
      content: [
        {
          type: 'button',
          text: 'Delete',
          on_tap: [
            { do: 'add', target: 'saved.count', by: 1 },
            {
              do: 'snackbar',
              text: 'Deleted {saved.count}',
              action: 'Undo',
              ms: 3000,
              actions: [{ do: 'add', target: 'saved.count', by: -1 }],
            },
          ],
        },
      ],
    }),
  })
  await tap(phone, 'Delete')
  expect((await find(phone, 'snackbar_text')).attributes['text']).toBe('Deleted 1')
  await tap(phone, 'Undo')
  expect(phone.state(APP).saved['count']).toBe(0)
  expect(await texts(phone)).toEqual(['Delete'])
  await tap(phone, 'Delete')
  const { box } = await find(phone, 'snackbar_text')
  await run(phone, `input swipe ${box.left + 50} ${box.top + 20} ${box.left + 500} ${box.top + 20}`)
  expect(await texts(phone)).toEqual(['Delete'])
  await tap(phone, 'Delete')
  clock.advance(3000)
  expect(await texts(phone)).toEqual(['Delete'])
  expect(phone.state(APP).saved['count']).toBe(2)
})

test('a snackbar and a header that stays in sight keep touches from what they cover', async () => {
  const { phone } = await appWith({
    saved: { taps: [] },
    ...main({
      on_open: [{ do: 'snackbar', text: 'Saved', ms: 100_000 }],
      content: [
        {
          type: 'list',
          items: 'range(1, 40)',
          section_by: "'All'",
          sticky: true,
          section: [{ type: 'text', text: 'All rows', height: 100, width: 'fill' }],
          template: [
            {
              type: 'row',
              height: 200,
              on_tap: [{ do: 'append', target: 'saved.taps', value: '{item}' }],
              children: [{ type: 'text', text: 'Row {item}' }],
            },
          ],
        },
      ],
    }),
  })
  await run(phone, 'input swipe 500 1500 500 1100')
  await tap(phone, 'Saved')
  await tap(phone, 'All rows')
  expect(phone.state(APP).saved['taps']).toEqual([])
  await tap(phone, 'Row 5')
  expect(phone.state(APP).saved['taps']).toEqual([5])
})

test('the shade lists notifications, opens their app and forgets them after a swipe', async () => {
  const { phone } = await appWith({
    saved: { opened: '' },
    ...main({
      content: [
        {
          type: 'button',
          text: 'Send',
          on_tap: [
            {
              do: 'notify',
              title: 'Parcel',
              text: 'At the door',
              actions: [{ do: 'set', target: 'saved.opened', value: 'parcel' }],
            },
            { do: 'notify', title: 'Mail' },
          ],
        },
      ],
    }),
  })
  await tap(phone, 'Send')
  await run(phone, 'input keyevent 3')
  await run(phone, 'cmd statusbar expand-notifications')
  expect(phone.foreground()?.packageName).toBe('com.android.systemui')
  expect(await texts(phone)).toEqual(expect.arrayContaining(['Mail', 'Parcel', 'At the door']))
  const { box } = await find(phone, 'Mail')
  await run(phone, `input swipe ${box.left} ${box.top} ${box.left + 500} ${box.top}`)
  expect(await texts(phone)).not.toContain('Mail')
  await tap(phone, 'Parcel')
  expect(phone.foreground()?.packageName).toBe(APP)
  expect(phone.state(APP).saved['opened']).toBe('parcel')
  await run(phone, 'input swipe 500 20 500 900')
  expect(await texts(phone)).toContain('No notifications')
  await run(phone, 'cmd statusbar collapse')
  expect(await texts(phone)).toEqual(['Send'])
  await run(phone, 'input swipe 500 20 500 900; input keyevent 4')
  expect(await texts(phone)).toEqual(['Send'])
})

test('languages written from right to left mirror the layout and the scrolling, unless the app does not support them', async () => {
  const document = (rtl: boolean) => ({
    rtl,
    ...main({
      content: [
        {
          type: 'row',
          children: [
            { type: 'text', text: 'first', width: 300 },
            { type: 'text', text: 'second', width: 300 },
          ],
        },
        {
          type: 'list',
          direction: 'horizontal',
          items: 'range(1, 20)',
          template: [{ type: 'text', text: 'n{item}', width: 200 }],
        },
      ],
    }),
  })
  const { phone } = await appWith(document(true))
  expect((await find(phone, 'first')).box).toMatchObject({ left: 0, right: 300 })
  phone.setLocale('ar-EG')
  expect((await find(phone, 'first')).box).toMatchObject({ left: 780, right: 1080 })
  expect((await find(phone, 'second')).box).toMatchObject({ left: 480, right: 780 })
  expect(await texts(phone)).not.toContain('n9')
  const { box } = await find(phone, 'n1')
  await run(phone, `input swipe 100 ${box.top + 10} 900 ${box.top + 10}`)
  expect(await texts(phone)).toContain('n9')
  const unsupported = await appWith(document(false))
  unsupported.phone.setLocale('ar-EG')
  expect((await find(unsupported.phone, 'first')).box.left).toBe(0)
})

test('timers run once or again and again while the app runs', async () => {
  const { phone, clock } = await appWith({
    saved: { messages: [], ticks: 0, quiet: false },
    ...main({ content: [{ type: 'list', items: 'saved.messages', template: [{ type: 'text', text: '{item}' }] }] }),
    timers: [
      { at_ms: 10_000, actions: [{ do: 'append', target: 'saved.messages', value: 'Hello from {here}' }] },
      { every_ms: 20_000, times: 2, when: '!saved.quiet', actions: [{ do: 'add', target: 'saved.ticks', by: 1 }] },
    ],
  })
  expect(await texts(phone)).toEqual([])
  clock.advance(10_000)
  expect(await texts(phone)).toEqual(['Hello from main'])
  phone.setState(APP, { saved: { quiet: true } })
  clock.advance(20_000)
  expect(phone.state(APP).saved['ticks']).toBe(0)
  phone.setState(APP, { saved: { quiet: false } })
  for (let times = 0; times < 5; times += 1) {
    clock.advance(20_000)
    phone.state(APP)
  }
  expect(phone.state(APP).saved['ticks']).toBe(2)
  await run(phone, `am force-stop ${APP}`)
  clock.advance(60_000)
  expect(phone.state(APP).saved['ticks']).toBe(2)
})

test('procedures run with their values, also on each entry of a list', async () => {
  const { phone } = await appWith({
    saved: {
      lights: [
        { on: false, name: 'a' },
        { on: false, name: 'b' },
        { on: false, name: 'c' },
      ],
      log: '',
    },
    procedures: {
      switch: [
        { do: 'set', target: 'item.on', value: '{with.on}' },
        { do: 'set', target: 'saved.log', value: '{saved.log}{item.name}{index}' },
      ],
    },
    ...main({
      content: [
        {
          type: 'button',
          text: 'All on',
          on_tap: [
            {
              do: 'for_each',
              items: 'saved.lights',
              where: "item.name != 'b'",
              actions: [{ do: 'call', procedure: 'switch', with: { on: '{true}' } }],
            },
          ],
        },
      ],
    }),
  })
  await tap(phone, 'All on')
  expect(phone.state(APP).saved).toMatchObject({ lights: [{ on: true }, { on: false }, { on: true }], log: 'a0c1' })
  expect((await dump(phone)).length).toBeGreaterThan(0)
})
