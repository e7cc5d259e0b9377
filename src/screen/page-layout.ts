import { hasArea } from './tree/bounds.ts'
import { type UiNode, isTrue, subtree } from './tree/hierarchy.ts'
import { normalizeLabel, readLabels } from './label-match.ts'
import { listPanelAround } from './panel-around.ts'
import { findStructure } from './row-around.ts'
import { splitLabel } from './structure/label-parts.ts'
import { maskText } from './structure/mask-text.ts'
import { findKind, isScroller, isShown, takesTouch } from './structure/node-kind.ts'

/**
 * A page as the places of its controls, without the rows of data. It is the same in every language. `layout` has one part
 * per control, such as `button@90,5`: kind and centre in hundredths of the window; `~` marks what scrolls, `*` the chosen
 * tab.
 */
export interface PageSketch {
  readonly layout: readonly string[]
  /** A window smaller than the display. All its controls count. */
  readonly floating?: boolean | undefined
  /** The layout has the labels of the page too. */
  readonly texts?: boolean | undefined
  /** The layout has the controls in rows of data too: what looks like data may be the rows of a form. */
  readonly rows?: boolean | undefined
  /** The index of the target in the layout. */
  readonly at?: number | undefined
  /** Texts of the app on the page, except that of the target. They tell a renamed target from another page. */
  readonly words?: readonly string[] | undefined
  readonly title?: string | undefined
}

interface PartPlace {
  readonly kind: string
  readonly x: number
  readonly y: number
  readonly moves: boolean
  readonly isChosenTab: boolean
}

export interface LayoutPart extends PartPlace {
  readonly node: UiNode
}

const knownLayouts = new WeakMap<UiNode, Map<string, readonly LayoutPart[]>>()

/**
 * The controls of the window that a node is in, from the top, its labels if `texts` is given, and what is in rows of data
 * if `rows` is given.
 */
export function readLayout(
  node: UiNode,
  { texts = false, rows = false }: Pick<PageSketch, 'texts' | 'rows'> = {},
): readonly LayoutPart[] {
  const root = findRoot(node)
  const layouts = knownLayouts.get(root) ?? new Map<string, readonly LayoutPart[]>()
  knownLayouts.set(root, layouts)
  const key = `${texts} ${rows}`
  const parts = layouts.get(key) ?? listParts(root, { texts, rows })
  layouts.set(key, parts)
  return parts
}

function listParts(root: UiNode, { texts, rows }: Required<Pick<PageSketch, 'texts' | 'rows'>>): LayoutPart[] {
  const isCounted = (one: UiNode) => isPart(one) || (texts === true && isLabel(one))
  const { bounds: window } = root
  if (window === null || !hasArea(window)) return []
  const structure = findStructure(root)
  const inData = new Set<UiNode>()
  const inTabs = new Set<UiNode>()
  for (const row of isFloatingWindow(root) || rows === true ? [] : structure.rows) {
    if (structure.classify(row.group) === 'data') for (const one of subtree(row.node)) inData.add(one)
  }
  for (const group of structure.groups) {
    if (structure.classify(group) !== 'navigation') continue
    for (const member of group.members) for (const one of subtree(member)) inTabs.add(one)
  }
  const parts: LayoutPart[] = []
  const visit = (node: UiNode, moves: boolean): void => {
    if (!isShown(node) || inData.has(node)) return
    const { bounds } = node
    if (bounds !== null && isCounted(node)) {
      const x = ((bounds.left + bounds.right) / 2 - window.left) / (window.right - window.left)
      const y = ((bounds.top + bounds.bottom) / 2 - window.top) / (window.bottom - window.top)
      parts.push({
        node,
        kind: findKind(node, node.children.length === 0),
        x: toHundredths(x),
        y: toHundredths(y),
        moves,
        isChosenTab: inTabs.has(node) && isTrue(node, 'selected'),
      })
    }
    for (const child of node.children) visit(child, moves || isScroller(node))
  }
  visit(root, false)
  return parts
}

const toHundredths = (share: number): number => Math.min(100, Math.max(0, Math.round(share * 100)))

/** What takes a touch, a text or a value. Compose takes the touch from the chosen one of several. */
function isPart(node: UiNode): boolean {
  if (takesTouch(node)) return true
  const kind = findKind(node, node.children.length === 0)
  if (kind === 'field' || kind === 'control') return true
  return isTrue(node, 'selected') && (node.parent === null || !isTrue(node.parent, 'selected'))
}

const isLabel = (node: UiNode): boolean =>
  node.children.length === 0 && readLabels(node).some((label) => /\p{L}/u.test(label))

/** Whether the window of a node is smaller than the display. */
export function isFloatingWindow(node: UiNode): boolean {
  const { bounds } = findRoot(node)
  if (bounds === null) return false
  // A menu or a sheet may start at the left edge. Beside a cutout, a whole page does not.
  return (bounds.left > 0 && bounds.top > 0) || bounds.top > bounds.bottom * FLOATING_TOP
}

const FLOATING_TOP = 0.1

export function formatPart({ kind, x, y, moves, isChosenTab }: PartPlace): string {
  return `${kind}${moves ? '~' : ''}${isChosenTab ? '*' : ''}@${x},${y}`
}

function parsePart(text: string): PartPlace | undefined {
  const [, kind = '', moves = '', chosen = '', x = '', y = ''] = PART.exec(text) ?? []
  if (kind === '') return undefined
  return { kind, x: Number(x), y: Number(y), moves: moves !== '', isChosenTab: chosen !== '' }
}

const PART = /^([a-z]+)(~?)(\*?)@(\d{1,3}),(\d{1,3})$/

/** The node of the window around `node` that stands where the target of a sketch stood. Undefined on another page. */
export function findOnPage(node: UiNode, sketch: PageSketch): UiNode | undefined {
  const isMirrored = readsRightToLeft(node) && !(sketch.words ?? []).some((word) => RIGHT_TO_LEFT.test(word))
  const parsed = sketch.layout.flatMap((text) => parsePart(text) ?? [])
  const wanted = isMirrored ? parsed.map((part) => ({ ...part, x: 100 - part.x })) : parsed
  const found = readLayout(node, sketch)
  const isFloating = isFloatingWindow(node)
  if (wanted.length !== sketch.layout.length || isFloating !== (sketch.floating === true)) return undefined
  if (isFloating && wanted.length !== found.length) return undefined
  const aligned = alignParts(wanted, found)
  const isAlike = compareParts(wanted, found, aligned) >= (isFloating ? 1 : SAME_LAYOUT)
  if (!isAlike && !hasSameFrame(wanted, found, sketch)) return undefined
  if (wanted.some((part, at) => aligned[at] !== undefined && aligned[at].isChosenTab !== part.isChosenTab)) {
    return undefined
  }
  const target = wanted[sketch.at ?? 0]
  const part = aligned[sketch.at ?? 0]
  if (target === undefined || part === undefined) return undefined
  // A control that was added beside it may have taken its place.
  if (countBeside(target, wanted) !== countBeside(part, found)) return undefined
  return part.node
}

const SAME_LAYOUT = 0.8

/** The share of parts that stand at the same places. */
function compareParts(
  wanted: readonly PartPlace[],
  found: readonly LayoutPart[],
  aligned = alignParts(wanted, found),
): number {
  const matched = aligned.filter((part) => part !== undefined).length
  return (2 * matched) / (wanted.length + found.length)
}

/**
 * Whether all around what scrolls is the same. A layout with labels has those of the content, which is as long as its data:
 * a target outside it needs only its frame.
 */
function hasSameFrame(
  wanted: readonly PartPlace[],
  found: readonly LayoutPart[],
  { texts, at = 0, floating }: PageSketch,
): boolean {
  if (texts !== true || floating === true || wanted[at]?.moves !== false) return false
  const [frame, now] = [wanted.filter(({ moves }) => !moves), found.filter(({ moves }) => !moves)]
  return frame.length >= MIN_FRAME && compareParts(frame, now) === 1
}

const MIN_FRAME = 3

/** Whether a control stands where a control of another window stands. */
export function isPlaceTaken(control: UiNode, window: UiNode): boolean {
  const parts = readLayout(control)
  return alignParts(parts, readLayout(window))[parts.findIndex(({ node }) => node === control)] !== undefined
}

/** Whether most texts of a page are written from right to left. Android then mirrors the page. */
function readsRightToLeft(node: UiNode): boolean {
  const texts = listPageTexts(node)
    .flatMap(readLabels)
    .filter((label) => /\p{L}/u.test(label))
  return texts.filter((label) => RIGHT_TO_LEFT.test(label)).length > texts.length / 2
}

const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u

/** For each wanted part the one that stands there now. What scrolls is compared in order, the rest by place. */
function alignParts(wanted: readonly PartPlace[], found: readonly LayoutPart[]): (LayoutPart | undefined)[] {
  const taken = new Set<LayoutPart>()
  const moving = found.filter(({ moves }) => moves)
  let seenMoving = 0
  return wanted.map((part) => {
    const candidates = part.moves ? moving.slice(seenMoving, seenMoving + 1) : found.filter((one) => !one.moves)
    if (part.moves) seenMoving += 1
    const near = candidates.filter((one) => !taken.has(one) && one.kind === part.kind && isNear(one, part))
    const [best] = near.toSorted((a, b) => measureDistance(a, part) - measureDistance(b, part))
    if (best !== undefined) taken.add(best)
    return best
  })
}

/** Labels of another length move what stands beside them, and lines that wrap what stands below. */
function isNear(one: PartPlace, other: PartPlace): boolean {
  return Math.abs(one.x - other.x) <= MAX_ASIDE && Math.abs(one.y - other.y) <= (one.moves ? MAX_MOVED : MAX_BELOW)
}

const measureDistance = (one: PartPlace, other: PartPlace): number =>
  Math.abs(one.x - other.x) + 2 * Math.abs(one.y - other.y)

/** How many parts stand on the same line. */
function countBeside(target: PartPlace, parts: readonly PartPlace[]): number {
  return parts.filter((part) => part.moves === target.moves && Math.abs(part.y - target.y) <= LINE).length
}

const MAX_ASIDE = 16
const MAX_BELOW = 8
const MAX_MOVED = 12
const LINE = 2

/**
 * How the texts of a page compare with a sketch: `same` as in the demonstration, `foreign` if almost none is there,
 * `different` if it is another page in the same language, `unknown` without texts to compare.
 */
export type PageWords = 'same' | 'foreign' | 'different' | 'unknown'

export function comparePageWords(node: UiNode, { words = [], title }: Pick<PageSketch, 'words' | 'title'>): PageWords {
  // The controls of a small window must all be there, so one text besides is enough.
  if (words.length < (isFloatingWindow(node) ? 1 : MIN_WORDS)) return 'unknown'
  const shown = listMaskedTexts(findRoot(node))
  const found = words.filter((word) => shown.has(maskWords(word))).length
  if (found >= MIN_WORDS && isInOtherPanel(node, words)) return 'different'
  const share = found / words.length
  if (share <= FOREIGN_SHARE) return 'foreign'
  const hasTitle = title === undefined || shown.has(maskWords(title))
  return share >= SAME_SHARE && hasTitle ? 'same' : 'different'
}

/** Whether a node is in a question or an offer over the page that says nothing of what the page said. */
function isInOtherPanel(node: UiNode, words: readonly string[]): boolean {
  const known = new Set(words.map(maskWords))
  const own = new Set(subtree(node))
  const panel = listPanelAround(node).flatMap((one) => [...subtree(one)])
  const texts = panel.filter((one) => !own.has(one) && isShown(one) && readLabels(one).length > 0)
  return texts.length >= MIN_WORDS && !texts.some((one) => listMasked(one).some((text) => known.has(text)))
}

/** The labels of a node and their parts. */
const listMasked = (node: UiNode): string[] =>
  readLabels(node).flatMap((label) => [label, ...splitLabel(label)].map(maskWords))

const MIN_WORDS = 2
const FOREIGN_SHARE = 0.34
const SAME_SHARE = 0.5

const masked = new WeakMap<UiNode, ReadonlySet<string>>()

function listMaskedTexts(root: UiNode): ReadonlySet<string> {
  const known = masked.get(root)
  if (known !== undefined) return known
  const texts = new Set<string>()
  for (const node of subtree(root)) {
    if (!isShown(node) || isTrue(node, 'password')) continue
    for (const text of listMasked(node)) texts.add(text)
  }
  masked.set(root, texts)
  return texts
}

const pageTexts = new WeakMap<UiNode, readonly UiNode[]>()

/**
 * The nodes with texts of the app itself: labels of controls and what does not scroll, outside rows of data and choices.
 */
export function listPageTexts(node: UiNode): readonly UiNode[] {
  const root = findRoot(node)
  const known = pageTexts.get(root)
  if (known !== undefined) return known
  const structure = findStructure(root)
  const isFloating = isFloatingWindow(root)
  const inData = new Set<UiNode>()
  for (const row of isFloating ? [] : structure.rows) {
    const type = structure.classify(row.group)
    if (type === 'data' || type === 'choice') for (const one of subtree(row.node)) inData.add(one)
  }
  const found: UiNode[] = []
  const visit = (one: UiNode, moves: boolean, isInControl: boolean): void => {
    if (!isShown(one) || inData.has(one)) return
    const isControl = isInControl || takesTouch(one)
    const hasWords = readLabels(one).some((label) => /\p{L}{2}/u.test(label))
    if (hasWords && (isControl || !moves || isFloating) && findKind(one, true) !== 'field') found.push(one)
    for (const child of one.children) visit(child, moves || isScroller(one), isControl)
  }
  visit(root, false, false)
  pageTexts.set(root, found)
  return found
}

/**
 * Whether a page is in the language of the given texts of the app. A page that says too little is compared together with
 * the pages before it, whose texts are collected in `earlier`. Undefined if they say too little too.
 */
export function compareLanguage(
  node: UiNode,
  words: readonly string[],
  earlier: Map<string, boolean> = new Map(),
): 'same' | 'foreign' | undefined {
  const known = new Set(words.map(maskWords))
  // The page is analysed only if there is something to compare it with.
  if (known.size < MIN_TEXTS) return undefined
  const shown = new Map<string, boolean>()
  for (const one of listPageTexts(node)) {
    const labels = readLabels(one).map(maskWords)
    shown.set(
      labels.join('\n'),
      labels.some((label) => known.has(label)),
    )
  }
  for (const [label, isKnown] of shown) earlier.set(label, isKnown)
  const here = measureShare([...shown.values()])
  if (here !== undefined && here >= SAME_LANGUAGE) return 'same'
  const all = measureShare([...earlier.values()])
  return Math.min(here ?? 1, all ?? 1) <= FOREIGN_LANGUAGE ? 'foreign' : undefined
}

/** The share of known texts. Undefined if there are too few. */
const measureShare = (known: readonly boolean[]): number | undefined =>
  known.length < MIN_TEXTS ? undefined : known.filter(Boolean).length / known.length

const MIN_TEXTS = 3
const SAME_LANGUAGE = 0.4
const FOREIGN_LANGUAGE = 0.2

const maskWords = (text: string): string => normalizeLabel(maskText(text))

function findRoot(node: UiNode): UiNode {
  let root = node
  while (root.parent !== null) root = root.parent
  return root
}
