import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { de } from '../../src/dashboard/text/de.ts'
import { en } from '../../src/dashboard/text/en.ts'
import { furtherDe } from '../../src/dashboard/text/further-de.ts'
import { furtherEn } from '../../src/dashboard/text/further-en.ts'

const DOCUMENT = join(import.meta.dirname, '..', '..', 'openapi', 'openapi.json')

const listTexts = (entry: unknown): string[] => {
  if (typeof entry === 'string') return [entry]
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(listTexts) : []
}

const GERMAN = new Set(listTexts({ ...de, ...furtherDe }))
const ENGLISH = new Set(listTexts({ ...en, ...furtherEn }).filter((text) => !GERMAN.has(text)))

/** The values of enumerations in the API as pages display them when the catalogue has no name for them. */
const WIRE_NAMES = new Set(
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/"enum": \[([^\]]*)\]/g)]
    .flatMap(([, list = '']) => list.match(/"[a-z][a-z_]*"/g) ?? [])
    .map((name) => name.slice(1, -1).replaceAll('_', ' '))
    .filter((name) => !GERMAN.has(name)),
)

interface Texts {
  readonly all: readonly string[]
  readonly badges: readonly string[]
}

/** Runs in the page. Attributes that are read out or displayed on hover are texts too; documents and files of skills,
 * screens of apps and names that people gave are not. */
const READ_TEXTS = `(() => {
  const all = new Set()
  const add = (text) => text && all.add(text.trim())
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('.markdown, .screen-picture, pre, [translate=no]')) add(walker.currentNode.data)
  for (const name of ['aria-label', 'title', 'placeholder'])
    for (const element of document.querySelectorAll('[' + name + ']')) add(element.getAttribute(name))
  const badges = [...document.querySelectorAll('.badge')].map(({ textContent }) => textContent.trim())
  return { all: [...all], badges }
})()`

/** Words of English sentences that are no German words. */
const ENGLISH_WORDS = /\b(?:the|is|are|of|with|not|this|and|to|by|has|have|been|which|from|cannot|for|it|its|does)\b/gi

/** Ids and addresses, such as `learned.add-a-note`. */
const IDS = /\S+[-._/]\S+/g
/** What people and apps said. */
const QUOTED = /„[^“]*“/g

/** The daemon's own sentences have two of these words or more. */
const isEnglishSentence = (text: string): boolean =>
  (text.replaceAll(QUOTED, '').replaceAll(IDS, '').match(ENGLISH_WORDS)?.length ?? 0) > 1

/**
 * The English texts that a page in German displays: texts of the catalogue, names of values without one, and sentences of
 * the daemon. What people named themselves is given.
 */
export async function findEnglishTexts(page: Page, own: readonly string[] = []): Promise<string[]> {
  const { all, badges } = await page.evaluate<Texts>(READ_TEXTS)
  const strange = all.map((text) => own.reduce((rest, words) => rest.replaceAll(words, ''), text))
  return [
    ...all.filter((text) => ENGLISH.has(text)),
    ...badges.filter((text) => WIRE_NAMES.has(text)),
    ...strange.filter(isEnglishSentence),
  ]
}
