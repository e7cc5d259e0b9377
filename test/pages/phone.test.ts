import type { BrowserContext, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import type { Phone, ScreenNode } from '@apprentice/phone/phone.ts'
import { browserPath } from './browser.ts'
import { placeOnPage, tapOn } from './live-phone.ts'
import { openDashboard } from './open-dashboard.ts'

const TIMEOUT_MS = 600_000
const PATIENCE = { timeout: 120_000 }
/** The whole phone is visible. */
const VIEWPORT = { width: 1280, height: 1300 }

const findField = (phone: Phone, id: string): ScreenNode | undefined =>
  phone.screenNodes().find(({ resourceId }) => resourceId.endsWith(`/${id}`))

const waitForText = (phone: Phone, id: string, text: string): Promise<void> =>
  vi.waitFor(() => expect(findField(phone, id)?.text).toBe(text), PATIENCE)

async function openPhone() {
  const opened = await openDashboard(VIEWPORT)
  const { page } = opened
  await allowClipboard(page.context(), new URL(page.url()).origin)
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.locator('.screen[data-frame]').waitFor()
  return opened
}

const allowClipboard = (context: BrowserContext, origin: string): Promise<void> =>
  context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })

const readClipboard = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()')

test.skipIf(browserPath === undefined)(
  'the keyboard and the clipboard of the computer work on the phone: typing, deleting, Enter, paste and copy',
  { timeout: TIMEOUT_MS },
  async () => {
    const { phone, page, problems } = await openPhone()
    await tapOn(page, phone, 'Notes')
    await tapOn(page, phone, 'New note')
    await vi.waitFor(() => expect(findField(phone, 'title')).toBeDefined(), PATIENCE)
    const title = findField(phone, 'title')
    const body = findField(phone, 'body')
    if (title === undefined || body === undefined) throw new Error('The form has no fields.')
    const focus = async (field: ScreenNode, id: string): Promise<void> => {
      const { x, y } = await placeOnPage(page, field)
      await page.mouse.click(x, y)
      await vi.waitFor(() => expect(findField(phone, id)?.focused).toBe(true), PATIENCE)
    }
    await focus(title, 'title')
    await page.keyboard.type('Dentisyy')
    await waitForText(phone, 'title', 'Dentisyy')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await waitForText(phone, 'title', 'Dentis')
    // A letter that is deleted before it was sent is never typed.
    await page.keyboard.type('x')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('t')
    await waitForText(phone, 'title', 'Dentist')

    await focus(body, 'body')
    await page.evaluate("navigator.clipboard.writeText('Tuesday at nine')")
    await page.keyboard.press('Control+V')
    await waitForText(phone, 'body', 'Tuesday at nine')
    await page.getByRole('button', { name: 'Tap Tuesday at nine' }).waitFor()
    const { x, y } = await placeOnPage(page, body)
    await page.mouse.move(x, y)
    await page.locator('.pointed', { hasText: 'Tuesday at nine' }).waitFor()
    await page.evaluate("navigator.clipboard.writeText('')")
    await page.keyboard.press('Control+C')
    await vi.waitFor(async () => expect(await readClipboard(page)).toBe('Tuesday at nine'), PATIENCE)

    await page.keyboard.press('Home')
    await vi.waitFor(() => expect(phone.foreground()?.packageName).toBe('com.android.launcher3'), PATIENCE)
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'the mouse drags, scrolls and presses long, each has a key, and the picture can be enlarged and fill the screen',
  { timeout: TIMEOUT_MS },
  async () => {
    const { phone, page, problems } = await openPhone()
    await tapOn(page, phone, 'Settings')
    const readTop = () => phone.screenNodes().find(({ text }) => text === 'Display')?.bounds.top ?? -10_000
    await page.getByRole('button', { name: /^Tap Display/ }).waitFor()
    const first = readTop()
    const box = await page.locator('.screen').boundingBox()
    if (box === null) throw new Error('the page shows no phone')
    const x = box.x + box.width / 2
    await page.mouse.move(x, box.y + box.height * 0.6)
    await page.mouse.down()
    await page.mouse.move(x, box.y + box.height * 0.5, { steps: 4 })
    await page.mouse.up()
    await vi.waitFor(() => expect(readTop()).toBeLessThan(first), PATIENCE)
    await page.mouse.wheel(0, -400)
    await vi.waitFor(() => expect(readTop()).toBe(first), PATIENCE)
    await page.locator('.phone-frame').focus()
    await page.keyboard.press('PageDown')
    await vi.waitFor(() => expect(readTop()).toBeLessThan(first), PATIENCE)
    await page.keyboard.press('ArrowUp')
    await vi.waitFor(() => expect(readTop()).toBe(first), PATIENCE)

    const list = phone.foreground()?.screen
    await tapOn(page, phone, 'Display')
    await vi.waitFor(() => expect(phone.foreground()?.screen).not.toBe(list), PATIENCE)
    await page.locator('.phone-frame').focus()
    await page.keyboard.press('Escape')
    await vi.waitFor(() => expect(phone.foreground()?.screen).toBe(list), PATIENCE)

    await page.keyboard.press('Home')
    await tapOn(page, phone, 'Notes')
    const isAsked = () => phone.screenNodes().some(({ text }) => text === 'Delete note?')
    const target = page.getByRole('button', { name: /^Tap Meeting/ })
    await target.focus()
    const notes = phone.foreground()?.screen
    await page.keyboard.press('Shift+Enter')
    await vi.waitFor(() => expect(isAsked()).toBe(true), PATIENCE)
    await tapOn(page, phone, 'Cancel')
    await vi.waitFor(() => expect(isAsked()).toBe(false), PATIENCE)
    // The app asks on the page of the note.
    await page.locator('.phone-frame').focus()
    await page.keyboard.press('Escape')
    await vi.waitFor(() => expect(phone.foreground()?.screen).toBe(notes), PATIENCE)
    const meeting = phone.screenNodes().find(({ text }) => text === 'Meeting')
    if (meeting === undefined) throw new Error('The list has no note.')
    const place = await placeOnPage(page, meeting)
    await page.mouse.move(place.x, place.y)
    await page.mouse.down()
    await vi.waitFor(() => expect(isAsked()).toBe(true), PATIENCE)
    await page.mouse.up()

    const readWidth = async () => (await page.locator('.screen').boundingBox())?.width ?? 0
    const width = await readWidth()
    await page.getByRole('button', { name: 'Smaller' }).click()
    await vi.waitFor(async () => expect(await readWidth()).toBeLessThan(width), PATIENCE)
    await page.getByRole('button', { name: 'Larger' }).click()
    await vi.waitFor(async () => expect(await readWidth()).toBe(width), PATIENCE)
    await page.getByRole('button', { name: 'Full screen' }).click()
    await vi.waitFor(
      async () => expect(await page.evaluate('document.fullscreenElement?.className')).toBe('phone-frame'),
      PATIENCE,
    )
    expect(problems).toEqual([])
  },
)

test.skipIf(browserPath === undefined)(
  'an element is chosen on the picture or in the tree, its attributes are displayed and its selector is copied',
  { timeout: TIMEOUT_MS },
  async () => {
    const { phone, page, problems } = await openPhone()
    await page.getByRole('button', { name: /^Tap Climate/ }).waitFor()
    const touches = phone.touches()
    await page.getByRole('button', { name: 'Inspect elements' }).click()
    const inspector = page.getByRole('region', { name: 'Elements of the screen' })
    await inspector.getByText('Click an element on the phone or in the tree.').waitFor()
    await tapOn(page, phone, 'Climate')
    // The smallest element there is the picture of the icon. Its neighbours are in the tree.
    await inspector.locator('.tree [aria-pressed=true]', { hasText: 'ImageView' }).waitFor()
    await inspector.locator('.tree button', { hasText: 'TextView “Climate”' }).click()
    await inspector.locator('.attributes').getByText('Climate', { exact: true }).first().waitFor()
    await inspector.getByRole('button', { name: 'Copy selector' }).click()
    await page.locator('.notice', { hasText: 'Copied.' }).waitFor()
    expect(Object.keys(JSON.parse(await readClipboard(page)) as object)).toHaveLength(1)
    await inspector.getByLabel('Search the tree').fill('Notes')
    await inspector.locator('.tree button', { hasText: 'Notes' }).first().click()
    await inspector.locator('.tree [aria-pressed=true]', { hasText: 'Notes' }).waitFor()
    // Nothing was sent to the phone until the inspector is closed.
    expect(phone.touches()).toBe(touches)
    await page.getByRole('button', { name: 'Inspect elements' }).click()
    await tapOn(page, phone, 'Climate')
    await vi.waitFor(() => expect(phone.foreground()?.packageName).toBe('org.apprentice.climate'), PATIENCE)
    expect(problems).toEqual([])
  },
)
