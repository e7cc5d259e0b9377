import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const FOLDER = join(import.meta.dirname, 'screenshots')
const SIZE = { width: 96, height: 64 }

/** The mean difference of two pictures per pixel and colour, from 0 to 1, above which a view has changed grossly. */
export const GROSS_CHANGE = 0.08

interface Scaled {
  readonly png: string
  readonly difference: number
}

/**
 * Takes a small picture of what the page displays and compares it with the kept file. A missing file is written; delete a
 * file to take it again after a deliberate change. Returns the difference.
 */
export async function compareScreenshot(page: Page, scaler: Page, name: string): Promise<number> {
  const file = join(FOLDER, `${name}.png`)
  const kept = existsSync(file) ? readFileSync(file).toString('base64') : undefined
  // The picture of the phone has its own tests.
  const picture = await page.screenshot({ animations: 'disabled', mask: [page.locator('.screen')] })
  const { png, difference } = await scaler.evaluate(scaleAndCompare, {
    taken: picture.toString('base64'),
    kept,
    ...SIZE,
  })
  if (kept === undefined) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, Buffer.from(png, 'base64'))
  }
  return difference
}

interface Pictures {
  readonly taken: string
  readonly kept: string | undefined
  readonly width: number
  readonly height: number
}

interface Context {
  drawImage(image: object, x: number, y: number, width: number, height: number): void
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray }
}

/** Runs in an empty page, which can decode pictures. */
async function scaleAndCompare({ taken, kept, width, height }: Pictures): Promise<Scaled> {
  // The types of the tests do not include browser APIs.
  const { document, Image } = globalThis as unknown as {
    document: {
      createElement(name: string): {
        width: number
        height: number
        getContext(kind: '2d'): Context & { imageSmoothingQuality: string }
        toDataURL(type: string): string
      }
    }
    Image: new () => { src: string; decode(): Promise<void> }
  }
  const draw = async (png: string) => {
    const image = new Image()
    image.src = `data:image/png;base64,${png}`
    await image.decode()
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const context = canvas.getContext('2d')
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, width, height)
    return { canvas, pixels: context.getImageData(0, 0, width, height).data }
  }
  const now = await draw(taken)
  const png = now.canvas.toDataURL('image/png').split(',')[1] ?? ''
  if (kept === undefined) return { png, difference: 0 }
  const before = await draw(kept)
  let sum = 0
  for (const [at, value] of now.pixels.entries()) sum += Math.abs(value - (before.pixels[at] ?? 0))
  return { png, difference: sum / now.pixels.length / 255 }
}
