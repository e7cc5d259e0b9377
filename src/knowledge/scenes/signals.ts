import type { PageContext } from '@apprentice/contracts/scenes/dispatch.ts'
import type { SceneManifest } from '@apprentice/contracts/scenes/manifest.ts'
import type { SceneSignal } from '@apprentice/contracts/scenes/plan.ts'
import { toHost } from './parse-manifest.ts'
import type { ResolvedParams } from './resolve-params.ts'
import { foldText, isWholePhrase } from './text/fold-text.ts'
import { type PhraseHit, selectLongest } from './text/phrase-index.ts'

/**
 * The points of each signal. One of a kind counts more than all that is below it: page > required parameters > keywords >
 * page title. `MAX_SCENE_KEYWORDS` bounds the keywords.
 */
export const SIGNAL_POINTS = {
  page_url: 40_000,
  page_host: 20_000,
  required_params: 10_000,
  include_keyword: 100,
  page_title: 10,
} as const

/** What an instruction and its page are compared with, folded once. */
export interface SceneRouting {
  readonly include: ReadonlySet<string>
  readonly exclude: readonly { readonly keyword: string; readonly folded: string }[]
  readonly titles: readonly { readonly keyword: string; readonly folded: string }[]
  readonly host: string
  readonly address: string | undefined
}

export function readRouting({ deterministic, bootstrap }: SceneManifest): SceneRouting {
  const fold = (keyword: string) => ({ keyword, folded: foldText(keyword) })
  return {
    include: new Set(deterministic.include_keywords.map(foldText)),
    exclude: deterministic.exclude_keywords.map(fold),
    titles: bootstrap.page_title_keywords.map(fold),
    host: toHost(bootstrap.expected_domain) ?? '',
    address: toAddress(bootstrap.target_url)?.text,
  }
}

/** The page of an instruction, in the form in which it is compared. */
export interface FoldedPage {
  readonly host: string | undefined
  /** Without query and fragment. */
  readonly address: string | undefined
  readonly title: string
}

export function readPage({ url, title = '' }: PageContext): FoldedPage {
  const address = url === undefined ? undefined : toAddress(url)
  return { host: address?.host, address: address?.text, title: foldText(title) }
}

function toAddress(url: string): { readonly host: string; readonly text: string } | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, origin, pathname } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? { host: hostname, text: `${origin}${pathname}` } : undefined
}

/** The first exclude keyword that a folded text contains. */
export const findExcluded = ({ exclude }: SceneRouting, text: string): string | undefined =>
  exclude.find(({ folded }) => containsPhrase(text, folded))?.keyword

/** A scene whose exclude keyword is in the instruction is not scored, so this says that there was none. */
export const explainExcluded = ({ exclude }: SceneRouting): SceneSignal => ({
  kind: 'exclude_keyword',
  matched: false,
  points: 0,
  found: [],
  explanation:
    exclude.length === 0
      ? 'The scene has no exclude keywords.'
      : 'The instruction contains no exclude keyword of the scene.',
})

export function scorePage({ host, address }: SceneRouting, page: FoldedPage): number {
  if (page.host === undefined || page.host !== host) return 0
  return page.address === address ? SIGNAL_POINTS.page_url : SIGNAL_POINTS.page_host
}

export function explainPage(routing: SceneRouting, page: FoldedPage): SceneSignal {
  const points = scorePage(routing, page)
  const found = page.address === undefined ? [] : [page.address]
  return { kind: 'page', matched: points > 0, points, found, explanation: describePage(points, page, routing.host) }
}

function describePage(points: number, page: FoldedPage, host: string): string {
  if (points === SIGNAL_POINTS.page_url) return 'The page is target_url.'
  if (points > 0) return `The page is on ${host}.`
  return page.host === undefined ? 'No page was given.' : `The page is not on ${host}.`
}

/** The keywords of a scene in an instruction. Of those that overlap only the longest counts. */
export function findKeywords({ include }: SceneRouting, hits: readonly PhraseHit[]): string[] {
  const own = selectLongest(hits.filter(({ phrase }) => include.has(phrase)))
  return [...new Set(own.map(({ phrase }) => phrase))]
}

export const explainKeywords = ({ include }: SceneRouting, found: readonly string[]): SceneSignal => ({
  kind: 'include_keywords',
  matched: found.length > 0,
  points: found.length * SIGNAL_POINTS.include_keyword,
  found: [...found],
  explanation: `The instruction contains ${found.length} of ${include.size} keywords.`,
})

const findTitles = ({ titles }: SceneRouting, { title }: FoldedPage): string[] =>
  titles.filter(({ folded }) => containsPhrase(title, folded)).map(({ keyword }) => keyword)

export const scoreTitle = (routing: SceneRouting, page: FoldedPage): number =>
  page.title !== '' && findTitles(routing, page).length > 0 ? SIGNAL_POINTS.page_title : 0

export function explainTitle(routing: SceneRouting, page: FoldedPage): SceneSignal {
  const found = findTitles(routing, page)
  const matched = found.length > 0
  const explanation = matched ? 'The title of the page contains a title keyword.' : 'No title keyword is in the title.'
  return { kind: 'page_title', matched, points: matched ? SIGNAL_POINTS.page_title : 0, found, explanation }
}

/** Parameters count only if the scene requires any: a scene without them shows nothing by lacking none. */
export const scoreParams = ({ required, missing, ambiguous }: ResolvedParams): number =>
  required > 0 && missing.length + ambiguous.length === 0 ? SIGNAL_POINTS.required_params : 0

export function explainParams(params: ResolvedParams): SceneSignal {
  const { required, found, notes } = params
  const points = scoreParams(params)
  const matched = points > 0
  const text =
    required === 0
      ? 'The scene requires no parameter.'
      : `${matched ? 'All' : 'Not all'} required parameters are in the instruction.`
  const explanation = [text, ...notes].join(' ').slice(0, 400)
  return { kind: 'required_params', matched, points, found: [...found], explanation }
}

function containsPhrase(text: string, phrase: string): boolean {
  if (phrase === '') return false
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (isWholePhrase(text, at, phrase.length)) return true
  }
  return false
}
