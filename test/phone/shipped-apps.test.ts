import { expect, test } from 'vitest'
import {
  centre,
  dump,
  find,
  launch,
  manualPhone,
  run,
  scrollTo,
  tap,
  texts,
  type,
} from './phone-shell.ts'

const CLIMATE = 'org.apprentice.climate'
const SHOP = 'org.apprentice.shop'
const NOTES = 'org.apprentice.notes'
const PORTAL = 'org.apprentice.portal'
const SETTINGS = 'com.android.settings'

function unit(phone: ReturnType<typeof manualPhone>['phone'], name: string): unknown {
  const units = phone.state(CLIMATE).saved['units'] as { name: string }[]
  return units.find((entry) => entry.name === name)
}

test('every shipped document is valid and every app opens from its icon', async () => {
  const { phone } = manualPhone()
  expect(phone.documentReports).toEqual([])
  for (const label of ['Settings', 'Climate', 'Shop', 'Notes', 'Portal']) {
    await tap(phone, label)
    expect(phone.foreground()?.packageName).not.toBe('com.android.launcher3')
    await run(phone, 'input keyevent HOME')
    expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
  }
})

test('climate: a unit below the first page is found by scrolling, changed, confirmed and listed', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  expect(await texts(phone)).not.toContain('Roof terrace')
  await scrollTo(phone, 'Roof terrace')
  expect(await texts(phone)).not.toContain('Lobby')
  await tap(phone, 'Roof terrace')
  for (let taps = 0; taps < 3; taps += 1) await tap(phone, 'Warmer')
  expect((await find(phone, 'temperature_value')).attributes['text']).toBe('24.5 °C')
  await tap(phone, 'Dry')
  const before = unit(phone, 'Roof terrace')
  await tap(phone, 'save')
  expect(await texts(phone)).toContain('Roof terrace: 24.5 °C, Dry')
  await tap(phone, 'Cancel')
  expect(unit(phone, 'Roof terrace')).toEqual(before)
  await tap(phone, 'save')
  await tap(phone, 'android:id/button1')
  expect(phone.toasts()).toEqual(['Settings saved'])
  expect(unit(phone, 'Roof terrace')).toMatchObject({ temperature: 24.5, mode: 'dry', power: true })
  expect(phone.foreground()?.screen).toBe('units')
  const [x, y] = centre(await find(phone, 'Roof terrace'))
  const beside = (await dump(phone)).filter(
    ({ box }) => Math.abs((box.top + box.bottom) / 2 - y) < 60 && box.left > x,
  )
  expect(beside.map(({ attributes }) => attributes['text'])).toContain('24.5 °C')
})

test('climate: the stepper stops at 16 and 30 and disables its buttons there', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  await tap(phone, 'Lobby')
  for (let taps = 0; taps < 20; taps += 1) await tap(phone, 'Warmer')
  expect((await find(phone, 'temperature_value')).attributes['text']).toBe('30.0 °C')
  expect((await find(phone, 'Warmer')).attributes['enabled']).toBe('false')
  for (let taps = 0; taps < 30; taps += 1) await tap(phone, 'Colder')
  expect((await find(phone, 'temperature_value')).attributes['text']).toBe('16.0 °C')
  expect((await find(phone, 'Colder')).attributes['enabled']).toBe('false')
})

test('climate: the temperature of a unit can be changed only while it is on', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  await tap(phone, 'Meeting room 1')
  expect((await find(phone, 'power')).attributes).toMatchObject({
    checkable: 'true',
    checked: 'false',
  })
  await tap(phone, 'Warmer')
  expect((await find(phone, 'temperature_value')).attributes['text']).toBe('20.0 °C')
  await tap(phone, 'power')
  expect((await find(phone, 'power')).attributes['checked']).toBe('true')
  await tap(phone, 'Warmer')
  expect((await find(phone, 'temperature_value')).attributes['text']).toBe('20.5 °C')
})

test('climate: a progress bar is displayed while the list loads', async () => {
  const { phone, clock } = manualPhone()
  await run(phone, `am start -n ${CLIMATE}/.UnitListActivity`)
  const classes = async () => (await dump(phone)).map(({ attributes }) => attributes['class'])
  expect(await classes()).toContain('android.widget.ProgressBar')
  expect(await texts(phone)).not.toContain('Lobby')
  clock.advance(599)
  expect(await texts(phone)).toContain('Loading units')
  clock.advance(1)
  expect(await texts(phone)).toContain('Lobby')
  expect(await classes()).not.toContain('android.widget.ProgressBar')
})

test('climate: saved changes survive a stop, unsaved changes do not, and pm clear resets both', async () => {
  const { phone } = manualPhone()
  await launch(phone, CLIMATE)
  await tap(phone, 'Lobby')
  await tap(phone, 'Warmer')
  await run(phone, `am force-stop ${CLIMATE}`)
  expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
  await launch(phone, CLIMATE)
  expect(unit(phone, 'Lobby')).toMatchObject({ temperature: 21 })
  await tap(phone, 'Lobby')
  await tap(phone, 'Warmer')
  await tap(phone, 'save')
  await tap(phone, 'android:id/button1')
  await run(phone, `am force-stop ${CLIMATE}`)
  await launch(phone, CLIMATE)
  expect(unit(phone, 'Lobby')).toMatchObject({ temperature: 21.5 })
  expect((await run(phone, `pm clear ${CLIMATE}`)).stdout).toBe('Success\n')
  expect(unit(phone, 'Lobby')).toMatchObject({ temperature: 21 })
})

test('shop: a search filters the products, and added products stay in the cart until the order', async () => {
  const { phone } = manualPhone()
  await launch(phone, SHOP)
  expect(await texts(phone)).toContain('20 products')
  await type(phone, 'search', 'ESPRESSO')
  const found = (await dump(phone)).filter(({ attributes }) =>
    attributes['resource-id']?.endsWith(':id/product_name'),
  )
  expect(found.map(({ attributes }) => attributes['text'])).toEqual([
    'Espresso beans 1 kg',
    'Espresso beans 250 g',
  ])
  await tap(phone, 'Espresso beans 250 g')
  await run(phone, 'sleep 1')
  await tap(phone, 'Increase')
  await tap(phone, 'Add to cart')
  await tap(phone, 'Add to cart')
  expect(phone.toasts().at(-1)).toBe('Espresso beans 250 g added')
  expect(phone.state(SHOP).saved['cart']).toEqual([
    { id: 2, name: 'Espresso beans 250 g', price: 6.5, quantity: 4 },
  ])
  await tap(phone, 'Cart (4)')
  expect((await find(phone, 'total')).attributes['text']).toBe('26.00 EUR')
  await tap(phone, 'order')
  await tap(phone, 'android:id/button1')
  expect(phone.state(SHOP).saved).toMatchObject({ cart: [], orders: [{ number: 1, total: 26 }] })
  expect(phone.foreground()?.screen).toBe('search')
})

test('shop: an empty result has a message, an empty cart cannot be ordered, an item can be removed', async () => {
  const { phone } = manualPhone()
  await launch(phone, SHOP)
  await type(phone, 'search', 'zzz')
  expect(await texts(phone)).toContain('Nothing found for "zzz"')
  await tap(phone, 'Clear')
  await run(phone, 'input keyevent 4')
  await tap(phone, 'Cart (0)')
  expect((await find(phone, 'order')).attributes['enabled']).toBe('false')
  await tap(phone, 'order')
  expect(phone.foreground()?.dialog).toBeUndefined()
  await run(phone, 'am start -a android.intent.action.VIEW -d shop://product/7; sleep 1')
  await tap(phone, 'Add to cart')
  await tap(phone, 'Cart (1)')
  await tap(phone, 'Remove Moka pot 3 cups')
  expect(phone.state(SHOP).saved['cart']).toEqual([])
  expect(await texts(phone)).toContain('Your cart is empty')
})

test('notes: a note needs a title, can be saved and can be deleted after a confirmation', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await tap(phone, 'New note')
  await tap(phone, 'save')
  expect(await texts(phone)).toContain('A note needs a title')
  await type(phone, 'title', 'Garden')
  expect(await texts(phone)).not.toContain('A note needs a title')
  await type(phone, 'body', 'Water the roses')
  await tap(phone, 'save')
  expect(phone.toasts()).toEqual(['Note saved'])
  expect(await texts(phone)).toEqual(expect.arrayContaining(['Garden', 'Water the roses']))
  await tap(phone, 'Garden')
  await tap(phone, 'delete')
  expect(await texts(phone)).toContain('"Garden" will be gone for good.')
  await tap(phone, 'Cancel')
  expect(phone.foreground()?.screen).toBe('editor')
  await tap(phone, 'delete')
  await tap(phone, 'android:id/button1')
  expect(await texts(phone)).not.toContain('Garden')
  expect(phone.state(NOTES).saved['notes']).toHaveLength(3)
})

test('portal: a wrong password has a message, the right one opens home and can be remembered', async () => {
  const { phone } = manualPhone()
  await launch(phone, PORTAL)
  await type(phone, 'user', 'ada')
  await type(phone, 'password', 'wrong')
  await tap(phone, 'sign_in')
  expect((await find(phone, 'sign_in')).attributes).toMatchObject({
    text: 'Signing in',
    enabled: 'false',
  })
  await run(phone, 'sleep 1')
  expect(await texts(phone)).toContain('Wrong user name or password')
  expect(phone.foreground()?.screen).toBe('login')
  await type(phone, 'password', 'engine')
  await tap(phone, 'stay')
  await tap(phone, 'sign_in')
  await run(phone, 'sleep 1')
  expect(phone.foreground()?.screen).toBe('home')
  expect(await texts(phone)).toEqual(expect.arrayContaining(['Welcome, Ada Lovelace', '2 unread']))
  await tap(phone, 'Your invoice')
  await run(phone, 'input keyevent 4')
  expect(await texts(phone)).toContain('1 unread')
  await run(phone, `am force-stop ${PORTAL}`)
  await launch(phone, PORTAL)
  expect(phone.foreground()?.screen).toBe('home')
  await tap(phone, 'Sign out')
  await tap(phone, 'android:id/button1')
  expect(phone.foreground()?.screen).toBe('login')
})

test('settings: a switch, a slider and a choice change the settings tables', async () => {
  const { phone } = manualPhone()
  await launch(phone, SETTINGS)
  await tap(phone, 'Network & internet')
  await tap(phone, 'Wi-Fi')
  expect((await run(phone, 'settings get global wifi_on')).stdout).toBe('0\n')
  await tap(phone, 'Navigate up')
  await scrollTo(phone, 'Display')
  await tap(phone, 'Display')
  const { box } = await find(phone, 'brightness')
  const y = (box.top + box.bottom) / 2
  await run(phone, `input swipe ${box.left + 300} ${y} ${box.right - 43} ${y} 300`)
  expect((await run(phone, 'settings get system screen_brightness')).stdout).toBe('255\n')
  expect(await texts(phone)).toContain('100%')
  await tap(phone, 'brightness')
  expect((await run(phone, 'settings get system screen_brightness')).stdout).toBe('128\n')
  await tap(phone, 'Screen timeout')
  await tap(phone, '5 min')
  expect((await run(phone, 'settings get system screen_off_timeout')).stdout).toBe('300000\n')
  expect(phone.foreground()?.dialog).toBeUndefined()
})

test('settings: About phone lists titles with summaries', async () => {
  const { phone } = manualPhone({ serial: 'ABC123' })
  await launch(phone, SETTINGS)
  await scrollTo(phone, 'About phone')
  await tap(phone, 'About phone')
  const nodes = await dump(phone)
  const at = nodes.findIndex(({ attributes }) => attributes['text'] === 'Serial number')
  expect(nodes[at]?.attributes['resource-id']).toBe('android:id/title')
  expect(nodes[at + 1]?.attributes).toMatchObject({
    text: 'ABC123',
    'resource-id': 'android:id/summary',
  })
})

test('settings: a confirmed language change applies to every app', async () => {
  const { phone } = manualPhone()
  await launch(phone, SETTINGS)
  await scrollTo(phone, 'System')
  await tap(phone, 'System')
  await tap(phone, 'Languages')
  await tap(phone, 'Deutsch (Deutschland)')
  await tap(phone, 'Cancel')
  expect(phone.locale()).toBe('en-US')
  await tap(phone, 'Deutsch (Deutschland)')
  await tap(phone, 'Change')
  expect(phone.locale()).toBe('de-DE')
  expect((await run(phone, 'getprop persist.sys.locale')).stdout).toBe('de-DE\n')
  expect((await run(phone, 'settings get system system_locales')).stdout).toBe('de-DE\n')
  expect(await texts(phone)).toContain('Sprachen')
  await launch(phone, CLIMATE)
  expect(await texts(phone)).toContain('Klima')
  expect(await texts(phone)).toContain('Kühlen')
})
