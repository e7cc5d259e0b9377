import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { Phone, ScreenNode } from '@apprentice/phone/phone.ts'

/** Clicks the live picture at the position that the phone itself reports for an element, once it is on the screen. */
export async function tapOn(page: Page, phone: Phone, label: string): Promise<void> {
  const find = () => phone.screenNodes().find(({ text, description }) => text === label || description === label)
  await vi.waitFor(() => expect(find(), `"${label}" is not on the screen`).toBeDefined(), {
    timeout: 120_000,
  })
  const node = find()
  if (node === undefined) throw new Error(`"${label}" is not on the screen`)
  const { x, y } = await placeOnPage(page, node)
  await page.mouse.click(x, y)
}

/** The middle of an element of the phone on the page. */
export async function placeOnPage(
  page: Page,
  { bounds }: Pick<ScreenNode, 'bounds'>,
): Promise<{ x: number; y: number }> {
  const { left, top, right, bottom } = bounds
  // The canvas has its size from the first picture on.
  await page.locator('.screen[data-frame]').waitFor()
  const canvas = page.locator('.screen canvas')
  const [width, height] = [await canvas.getAttribute('width'), await canvas.getAttribute('height')]
  const box = await page.locator('.screen').boundingBox()
  if (box === null) throw new Error('the page shows no phone')
  return {
    x: box.x + ((left + right) / 2 / Number(width)) * box.width,
    y: box.y + ((top + bottom) / 2 / Number(height)) * box.height,
  }
}
