import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { findKind, takesTouch } from '../../../screen/structure/node-kind.ts'
import { type ScreenTexts, countVisits, findChangingTexts, groupVisits, type ShownText } from './visits.ts'

export interface ShownScreen {
  /** The visible nodes. */
  readonly nodes: readonly UiNode[]
  readonly package: string
}

export interface CollectedTexts {
  /** Texts of controls outside rows: of what takes a touch, hints, labels beside fields and switches. */
  readonly controls: readonly string[]
  /** Other texts outside rows, with the number of visits that had them. Titles are on no visit. */
  readonly others: readonly { readonly text: string; readonly visits: number }[]
  /** Texts inside rows. */
  readonly rows: readonly string[]
  /** Texts of controls inside rows that several rows of one screen have. */
  readonly row_controls: readonly string[]
  /** Texts that several rows of one screen have. */
  readonly shared: readonly string[]
}

/** Collects the texts of the app by what they stand on. Texts that changed between visits are left out. */
export function collectTexts<S extends ShownScreen>(
  screens: readonly S[],
  listRows: (screen: S) => Iterable<UiNode>,
): CollectedTexts {
  const packages = findAppPackages(screens)
  const rows = new Set<string>()
  const rowControls = new Set<string>()
  const shared = new Set<string>()
  const read = screens.map((screen): ScreenTexts => {
    const own = [...listRows(screen)]
    for (const text of listSharedTexts(own)) shared.add(text)
    const inRows = new Set(own.flatMap((node) => [...subtree(node)]))
    for (const node of inRows) for (const { text } of listNodeTexts(node, true)) rows.add(text)
    for (const text of listRepeatedControls(inRows)) rowControls.add(text)
    const isApp = packages.has(screen.package)
    const outside = screen.nodes.filter((node) => !inRows.has(node) && isApp && isOfApp(node, screen))
    return { package: screen.package, nodes: outside, texts: listScreenTexts(screen, outside) }
  })
  const groups = groupVisits(read)
  const changing = findChangingTexts(groups)
  const stable = read.flatMap(({ texts }) => texts).filter(({ text }) => !changing.has(text))
  const controls = new Set(stable.filter(({ kind }) => kind === 'control').map(({ text }) => text))
  const visits = countVisits(groups)
  const others = [...new Set(stable.filter(({ text }) => !controls.has(text)).map(({ text }) => text))]
  return {
    controls: [...controls],
    others: others.map((text) => ({ text, visits: visits.get(text) ?? 0 })),
    rows: [...rows],
    row_controls: [...rowControls],
    shared: [...shared],
  }
}

function listSharedTexts(rows: readonly UiNode[]): string[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const texts = new Set([...subtree(row)].flatMap((node) => listNodeTexts(node, true).map(({ text }) => text)))
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > 1).map(([text]) => text)
}

/** Texts of controls inside rows that stand there more than once. What opens the row itself is no such control. */
function listRepeatedControls(inRows: ReadonlySet<UiNode>): string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const node of inRows) {
    const texts = listNodeTexts(node, false)
    const target = texts.length === 0 ? undefined : findTarget(node)
    if (target === undefined || target.parent === null || !inRows.has(target.parent)) continue
    for (const { text } of isTouchedAlone(node) ? texts : NO_TEXTS) {
      if (seen.has(text)) repeated.add(text)
      seen.add(text)
    }
  }
  return [...repeated]
}

/** The packages of most screens. A launcher or a share sheet is on few. */
function findAppPackages(screens: readonly ShownScreen[]): Set<string> {
  const counts = new Map<string, number>()
  for (const { package: name } of screens) counts.set(name, (counts.get(name) ?? 0) + 1)
  const most = Math.max(0, ...counts.values())
  return new Set([...counts].filter(([, count]) => count * 3 > most).map(([name]) => name))
}

/** Keyboards, status bars and other windows have other packages. */
function isOfApp(node: UiNode, screen: ShownScreen): boolean {
  const name = attribute(node, 'package')
  return name === '' || name === screen.package
}

interface NodeText {
  readonly place: string
  readonly text: string
  readonly is_hint: boolean
}

/** The texts of a node, line by line. The content of a field is data. */
function listNodeTexts(node: UiNode, withContent: boolean): readonly NodeText[] {
  const { text = '', 'content-desc': description = '', hint = '' } = node.attributes
  if ((text === '' && description === '' && hint === '') || isTrue(node, 'password')) return NO_TEXTS
  const isHidden = !withContent && findKind(node, true) === 'field'
  return [
    ...splitText(node, 'text', isHidden ? '' : text),
    ...splitText(node, 'content-desc', description),
    ...splitText(node, 'hint', hint),
  ]
}

const NO_TEXTS: readonly NodeText[] = []

function splitText({ path }: UiNode, name: string, value: string): readonly NodeText[] {
  if (value === '') return NO_TEXTS
  return value
    .split(/[\r\n]+/)
    .map((line, index) => ({ place: `${path} ${name} ${index}`, text: line.trim(), is_hint: name === 'hint' }))
    .filter(({ text }) => text !== '')
}

function listScreenTexts({ nodes }: ShownScreen, outside: readonly UiNode[]): ShownText[] {
  const bottom = nodes.reduce((most, { bounds }) => Math.max(most, bounds?.bottom ?? 0), 1)
  const labels = listControlLabels(nodes, outside)
  return outside.flatMap((node) => {
    const texts = listNodeTexts(node, false)
    if (texts.length === 0) return []
    const isPersonal = PERSONAL_ID.test(readIdWords(node))
    const isTouched = isTouchedAlone(node)
    const isTop = node.bounds !== null && node.bounds.bottom <= bottom * TITLE_ZONE
    return texts.map(({ place, text, is_hint }): ShownText => {
      const isControl = !isPersonal && (is_hint || isTouched || labels.has(text))
      return { place, text, kind: isControl ? 'control' : isTop || isPersonal ? 'title' : 'other' }
    })
  })
}

const TITLE_ZONE = 0.16
/** Ids of places that show whose account or item it is. */
const PERSONAL_ID =
  /\b(?:user|account|profile|owner|author|sender|recipient|contact|member|person|email|mail|greeting)\b/

/** `com.app:id/user_name` gives "user name". */
function readIdWords(node: UiNode): string {
  const id = attribute(node, 'resource-id')
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replaceAll(/[_.-]+/g, ' ')
    .toLowerCase()
}

/** Labels of fields, switches and sliders. */
function listControlLabels(nodes: readonly UiNode[], outside: readonly UiNode[]): Set<string> {
  const controls = outside.filter((node) => {
    const kind = findKind(node, node.children.length === 0)
    return kind === 'field' || isTrue(node, 'checkable') || attribute(node, 'class').endsWith('SeekBar')
  })
  return new Set(controls.map((node) => findLabelBeside(node, nodes)))
}

/** Whether it is the only text of what takes the touch, as on a button. A card with several texts shows data. */
function isTouchedAlone(node: UiNode): boolean {
  const target = findTarget(node)
  if (target === undefined || findKind(target, true) === 'field') return false
  let only: string | undefined
  for (const one of subtree(target)) {
    for (const { text } of listNodeTexts(one, true)) {
      // A glyph of an icon is no text.
      if (!/[\p{L}\p{N}]/u.test(text)) continue
      if (only !== undefined && only !== text) return false
      only = text
    }
  }
  return true
}

/** What takes the touch on a node: itself or a box close around it. */
function findTarget(node: UiNode): UiNode | undefined {
  let target: UiNode | null = node
  for (let level = 0; target !== null && level <= MAX_LEVELS; level++) {
    if (takesTouch(target)) return target
    target = target.parent
  }
  return undefined
}

const MAX_LEVELS = 3
