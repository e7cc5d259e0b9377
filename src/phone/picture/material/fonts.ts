import { createRequire } from 'node:module'
import type { SKRSContext2D } from '@napi-rs/canvas'
import type { CanvasLibrary } from './canvas-library.ts'

export type Weight = 400 | 500

/** The bundled font is split by script. Each part is a family of its own, and the first that has a character is used. */
const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'greek', 'symbols', 'math'] as const
const WEIGHTS: readonly Weight[] = [400, 500]
const BUNDLED_FAMILIES = SCRIPTS.map((script) => `"Apprentice ${script}"`).join(', ')

/** Characters that the bundled font has: Latin, Greek, Cyrillic, punctuation, currencies. */
const BUNDLED_CHARACTERS =
  /^[\s\u0020-\u024f\u0370-\u03ff\u0400-\u045f\u1e00-\u1eff\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2122\u2212]*$/u

/** Families of the machine, in the order in which they are tried for other characters. */
const SYSTEM_FAMILIES = [
  /^DejaVu Sans$/,
  /^(Segoe UI|Helvetica Neue|Arial|Liberation Sans)$/,
  /^Noto Sans CJK JP$/,
  /^(Hiragino Sans|PingFang SC|Yu Gothic|Microsoft YaHei|Malgun Gothic|Apple SD Gothic Neo)$/,
  /^(WenQuanYi|Source Han Sans|IPAGothic|Droid Sans Fallback)/,
  /^Noto Sans /,
  /Emoji/,
  /Symbols?$/,
]
const MAX_WIDTHS = 5000

/** Measures text in the fonts of the phone. */
export class Fonts {
  readonly #library: CanvasLibrary
  readonly #context: SKRSContext2D
  readonly #widths = new Map<string, number>()
  #systemFamilies: string | undefined

  constructor(library: CanvasLibrary) {
    this.#library = library
    const { resolve } = createRequire(import.meta.url)
    for (const script of SCRIPTS) {
      for (const weight of WEIGHTS) {
        const file = resolve(`@fontsource/roboto/files/roboto-${script}-${weight}-normal.woff2`)
        library.GlobalFonts.registerFromPath(file, `Apprentice ${script}`)
      }
    }
    this.#context = library.createCanvas(1, 1).getContext('2d')
  }

  /** The CSS font for a text. Fonts of the machine are read when the bundled one lacks a character. */
  describe(text: string, size: number, weight: Weight): string {
    const families = BUNDLED_CHARACTERS.test(text) ? BUNDLED_FAMILIES : this.#listAllFamilies()
    return `${weight} ${size}px ${families}`
  }

  measure(text: string, size: number, weight: Weight): number {
    const key = `${weight} ${size} ${text}`
    const known = this.#widths.get(key)
    if (known !== undefined) return known
    this.#context.font = this.describe(text, size, weight)
    const { width } = this.#context.measureText(text)
    if (this.#widths.size >= MAX_WIDTHS) this.#widths.clear()
    this.#widths.set(key, width)
    return width
  }

  #listAllFamilies(): string {
    if (this.#systemFamilies !== undefined) return this.#systemFamilies
    const { GlobalFonts } = this.#library
    // The types of the library lack this function.
    ;(GlobalFonts as unknown as { loadSystemFonts(): number }).loadSystemFonts()
    const names = GlobalFonts.families.map(({ family }) => family)
    const found = SYSTEM_FAMILIES.flatMap((pattern) => names.filter((name) => pattern.test(name)))
    this.#systemFamilies = [BUNDLED_FAMILIES, ...new Set(found.map((name) => JSON.stringify(name)))].join(', ')
    return this.#systemFamilies
  }
}
