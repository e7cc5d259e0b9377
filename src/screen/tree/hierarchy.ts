import { SaxesParser } from 'saxes'
import { finishInTurns, finishNow, type Sliced } from './slices.ts'
import { type Bounds, area, parseBounds } from './bounds.ts'
import { decodeDump } from './dump-text.ts'

/** One node of a dump. `attributes` keeps the order and the values of the dump. */
export interface UiNode {
  /** Positions among siblings from the root, e.g. `0.2.1`; not the `index` attributes. */
  readonly path: string
  readonly depth: number
  readonly parent: UiNode | null
  readonly children: readonly UiNode[]
  readonly attributes: Readonly<Record<string, string>>
  readonly bounds: Bounds | null
}

export interface Hierarchy {
  readonly attributes: Readonly<Record<string, string>>
  /** Quarter turns, 0..3. */
  readonly rotation: number
  readonly roots: readonly UiNode[]
  /** Every node, depth first, parents before children. */
  readonly nodes: readonly UiNode[]
}

export type HierarchyFault = 'no_hierarchy' | 'truncated' | 'malformed' | 'doctype' | 'empty'

export type HierarchyRead =
  | {
      readonly ok: true
      readonly hierarchy: Hierarchy
      /** Number of characters forbidden in XML that were removed before parsing. */
      readonly removed_characters: number
    }
  | { readonly ok: false; readonly fault: HierarchyFault; readonly message: string }

const MAX_NODES = 20_000
const MAX_DEPTH = 256
/** How much is parsed between two pauses. */
const CHARACTERS_PER_PART = 32 * 1024

/**
 * Parses the output of `uiautomator dump`, as text or as the bytes of a file, or a page source of Appium. Text before and after the tree is ignored; the
 * tree must be well-formed. A dump without a node is a failed dump, not an empty screen.
 */
export function parseHierarchy(dump: string | Uint8Array): HierarchyRead {
  return finishNow(parseInParts(dump))
}

/** The same as `parseHierarchy`. A large dump does not keep the event loop from its turns. */
export function parseHierarchyInTurns(dump: string | Uint8Array): Promise<HierarchyRead> {
  return finishInTurns(parseInParts(dump))
}

function* parseInParts(dump: string | Uint8Array): Sliced<HierarchyRead> {
  const cut = cutTree(typeof dump === 'string' ? dump : decodeDump(dump))
  if (!cut.ok) return cut
  yield
  const first = yield* readTree(cut.xml)
  const damaged = first.ok ? LONE_SURROGATE.test(cut.xml) : first.fault === 'malformed'
  if (!damaged) return first
  const removed = cut.xml.match(FORBIDDEN_CHARACTERS)?.length ?? 0
  if (removed === 0) return first
  yield
  const second = yield* readTree(cut.xml.replace(FORBIDDEN_CHARACTERS, ''))
  return second.ok ? { ...second, removed_characters: removed } : second
}

/** The value of an attribute. Empty if the attribute is absent. */
export function attribute(node: UiNode, name: string): string {
  return node.attributes[name] ?? ''
}

export function isTrue(node: UiNode, name: string): boolean {
  return node.attributes[name] === 'true'
}

/** The node and everything below it, depth first. */
export function* subtree(node: UiNode): Generator<UiNode> {
  yield node
  for (const child of node.children) yield* subtree(child)
}

/**
 * The windows of the app: the roots of the package that owns the largest window. Of equally large windows those of the
 * system are not the app.
 */
export function findAppRoots({ roots }: Hierarchy): UiNode[] {
  const [front] = roots.toSorted(
    (a, b) => measureArea(b) - measureArea(a) || Number(isSystemWindow(a)) - Number(isSystemWindow(b)),
  )
  const name = front && attribute(front, 'package')
  return roots.filter((root) => attribute(root, 'package') === name)
}

/** The package of the app on the screen. Empty if the dump names none. */
export function readAppPackage(hierarchy: Hierarchy): string {
  const [root] = findAppRoots(hierarchy)
  return root === undefined ? '' : attribute(root, 'package')
}

function isSystemWindow(root: UiNode): boolean {
  return attribute(root, 'package') === SYSTEM_PACKAGE
}

const SYSTEM_PACKAGE = 'com.android.systemui'

function measureArea({ bounds }: UiNode): number {
  return bounds === null ? 0 : area(bounds)
}

class RejectedHierarchy extends Error {
  readonly fault: HierarchyFault

  constructor(fault: HierarchyFault, message: string) {
    super(message)
    this.fault = fault
  }
}

type Cut =
  | { readonly ok: true; readonly xml: string }
  | { readonly ok: false; readonly fault: HierarchyFault; readonly message: string }

function cutTree(dump: string): Cut {
  const tree = dump.indexOf('<hierarchy')
  if (tree < 0) {
    const message = 'The output contains no <hierarchy>.'
    return { ok: false, fault: 'no_hierarchy', message }
  }
  const head = dump.slice(0, tree)
  if (/<!doctype/i.test(head)) {
    return { ok: false, fault: 'doctype', message: 'A dump must not contain a document type.' }
  }
  const declaration = head.lastIndexOf('<?xml')
  const start = declaration < 0 ? tree : declaration
  const close = dump.lastIndexOf('</hierarchy>')
  if (close >= 0) return { ok: true, xml: dump.slice(start, close + '</hierarchy>'.length) }
  const alone = /^<hierarchy[^<>]*\/>/.exec(dump.slice(tree))
  return alone === null
    ? { ok: false, fault: 'truncated', message: 'The tree ends before </hierarchy>.' }
    : { ok: false, fault: 'empty', message: 'The tree contains no node.' }
}

function* readTree(xml: string): Sliced<HierarchyRead> {
  const tree = new TreeBuilder()
  try {
    yield* tree.read(xml)
  } catch (error) {
    if (error instanceof RejectedHierarchy) return { ok: false, fault: error.fault, message: error.message }
    throw error
  }
  if (tree.nodes.length === 0) {
    return { ok: false, fault: 'empty', message: 'The tree contains no node.' }
  }
  return { ok: true, hierarchy: tree.finish(), removed_characters: 0 }
}

interface OpenNode extends UiNode {
  readonly children: UiNode[]
}

class TreeBuilder {
  readonly nodes: UiNode[] = []
  readonly #roots: UiNode[] = []
  readonly #open: OpenNode[] = []
  #attributes: Readonly<Record<string, string>> | undefined;

  *read(xml: string): Sliced<void> {
    const parser = new SaxesParser<{ xmlns: false; position: false }>({
      xmlns: false,
      position: false,
    })
    parser.on('error', (error) => reject('malformed', error.message))
    parser.on('opentag', (tag) => this.#opened(tag.name, tag.attributes))
    parser.on('closetag', () => this.#open.pop())
    parser.on('text', rejectText)
    parser.on('cdata', rejectText)
    for (let at = 0; at < xml.length; at += CHARACTERS_PER_PART) {
      if (at > 0) yield
      parser.write(xml.slice(at, at + CHARACTERS_PER_PART))
    }
    parser.close()
  }

  finish(): Hierarchy {
    const attributes = this.#attributes ?? {}
    const rotation = Number(attributes['rotation'] ?? '0')
    return {
      attributes,
      rotation: [0, 1, 2, 3].includes(rotation) ? rotation : 0,
      roots: this.#roots,
      nodes: this.nodes,
    }
  }

  #opened(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#attributes === undefined) {
      if (name !== 'hierarchy') reject('malformed', `The root is <${name}>, not <hierarchy>.`)
      this.#attributes = attributes
      return
    }
    if (name === 'node') this.#addNode(attributes)
    else if (CLASS_NAME.test(name)) this.#addNode({ ...attributes, class: attributes['class'] ?? name })
    else reject('malformed', `Unexpected element <${name}>.`)
  }

  #addNode(attributes: Readonly<Record<string, string>>): void {
    if (this.nodes.length >= MAX_NODES) reject('malformed', `More than ${MAX_NODES} nodes.`)
    if (this.#open.length >= MAX_DEPTH) reject('malformed', `Deeper than ${MAX_DEPTH} levels.`)
    const parent = this.#open.at(-1) ?? null
    const siblings = parent?.children ?? this.#roots
    const node: OpenNode = {
      path: parent === null ? `${siblings.length}` : `${parent.path}.${siblings.length}`,
      depth: this.#open.length,
      parent,
      children: [],
      attributes,
      bounds: parseBounds(attributes['bounds'] ?? ''),
    }
    siblings.push(node)
    this.nodes.push(node)
    this.#open.push(node)
  }
}

/** Appium writes the class of a node as the name of its element. */
const CLASS_NAME = /^[\p{L}_][\w$]*(?:\.[\w$]+)+$/u

function reject(fault: HierarchyFault, message: string): never {
  throw new RejectedHierarchy(fault, message)
}

function rejectText(text: string): void {
  if (text.trim() !== '') reject('malformed', 'There is text between the elements.')
}

/** Characters XML 1.0 forbids, raw or as a numeric reference, and halves of surrogate pairs. */
const FORBIDDEN_CHARACTERS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));/giu

/** The parser accepts half a surrogate pair if another character follows it. */
const LONE_SURROGATE = /\p{Surrogate}/u
