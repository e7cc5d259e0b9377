import { parse, type ParserError } from 'parse5'
import type { FoundText, SceneControl, SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { type ScenarioFile, toEvidence, type Uncertainties } from '../source/scenario.ts'
import {
  describeElement,
  listByTag,
  listElements,
  locate,
  type PageElement,
  readAttribute,
  readText,
} from './page-tree.ts'
import { readControl } from './page-controls.ts'

/** A script of a page, in the page or by reference. */
export interface PageScript {
  readonly evidence: SceneEvidence
  readonly src?: string | undefined
  readonly text?: string | undefined
  /** The line of the page before the first line of the script. */
  readonly line_offset: number
  readonly is_module: boolean
}

export interface PageReading {
  readonly file: string
  readonly elements: readonly PageElement[]
  readonly titles: readonly FoundText[]
  readonly addresses: readonly FoundText[]
  readonly scripts: readonly PageScript[]
  readonly styles: readonly { readonly href: string; readonly evidence: SceneEvidence }[]
  readonly frames: readonly { readonly element: PageElement; readonly src: string; readonly evidence: SceneEvidence }[]
  readonly controls: readonly SceneControl[]
}

const MAX_PARSE_PROBLEMS = 5
/** Pages of business systems often lack these, and the result is the same. */
const HARMLESS = new Set(['missing-doctype', 'non-conforming-doctype', 'unknown-named-character-reference'])

export function readPage({ path, text = '' }: ScenarioFile, uncertainties: Uncertainties): PageReading {
  const problems: ParserError[] = []
  const onParseError = (error: ParserError): void => void problems.push(error)
  const document = parse(text, { sourceCodeLocationInfo: true, onParseError })
  const elements = listElements(document)
  reportProblems(path, text, { problems, uncertainties })
  return {
    file: path,
    elements,
    titles: [...listTitles(path, elements)],
    addresses: [...listSavedAddresses(path, document.childNodes), ...listAddresses(path, elements)],
    scripts: listByTag(elements, 'script')
      .filter(isProgram)
      .map((element) => toScript(path, element)),
    styles: listByTag(elements, 'link')
      .filter((element) => readAttribute(element, 'rel') === 'stylesheet')
      .map((element) => ({
        href: readAttribute(element, 'href') ?? '',
        evidence: locate(path, element, describeElement(element)),
      })),
    frames: listByTag(elements, 'iframe', 'frame').map((element) => ({
      element,
      src: readAttribute(element, 'src') ?? '',
      evidence: locate(path, element, describeElement(element)),
    })),
    controls: listByTag(elements, 'select', 'input', 'textarea').flatMap((element) =>
      readControl(path, element, elements),
    ),
  }
}

function reportProblems(
  path: string,
  text: string,
  { problems, uncertainties }: { problems: readonly ParserError[]; uncertainties: Uncertainties },
): void {
  const lines = text.split('\n')
  for (const { code, startLine } of problems.filter((one) => !HARMLESS.has(one.code)).slice(0, MAX_PARSE_PROBLEMS)) {
    const evidence = [toEvidence(path, startLine, lines[startLine - 1] ?? '')]
    uncertainties.add('page_invalid', `The page is not valid HTML here: ${code}.`, { evidence })
  }
}

function* listTitles(path: string, elements: readonly PageElement[]): Generator<FoundText> {
  for (const element of listByTag(elements, 'title', 'h1', 'h2', 'caption')) {
    const value = readText(element)
    if (value !== '') yield { value, evidence: [locate(path, element, value)] }
  }
}

function* listAddresses(path: string, elements: readonly PageElement[]): Generator<FoundText> {
  for (const element of elements) {
    const value = readOwnAddress(element)
    if (value !== undefined && URL.canParse(value) && new URL(value).protocol.startsWith('http')) {
      yield { value, evidence: [locate(path, element, describeElement(element))] }
    }
  }
}

function readOwnAddress(element: PageElement): string | undefined {
  if (element.tagName === 'link' && readAttribute(element, 'rel') === 'canonical') return readAttribute(element, 'href')
  if (element.tagName === 'meta' && readAttribute(element, 'property') === 'og:url') {
    return readAttribute(element, 'content')
  }
  return undefined
}

const SAVED_FROM = 'saved from url='

/** Browsers write the address of a page that they save into a comment at its start. */
function* listSavedAddresses(
  path: string,
  nodes: readonly import('parse5').DefaultTreeAdapterTypes.Node[],
): Generator<FoundText> {
  const inner = nodes.flatMap((node) => ('childNodes' in node ? node.childNodes : []))
  for (const node of [...nodes, ...inner]) {
    if (node.nodeName !== '#comment' || !('data' in node)) continue
    const text = node.data.trim()
    if (!text.startsWith(SAVED_FROM)) continue
    const value = text.slice(text.indexOf(')') + 1).trim()
    if (URL.canParse(value)) yield { value, evidence: [locate(path, node, text)] }
  }
}

const PROGRAM_TYPES = new Set(['', 'module', 'text/javascript', 'application/javascript', 'application/x-javascript'])
const isProgram = (element: PageElement): boolean =>
  PROGRAM_TYPES.has((readAttribute(element, 'type') ?? '').toLowerCase())

function toScript(path: string, element: PageElement): PageScript {
  const src = readAttribute(element, 'src')
  const [child] = element.childNodes
  const text = child !== undefined && 'value' in child ? child.value : undefined
  return {
    evidence: locate(path, element, describeElement(element)),
    src,
    text: src === undefined ? text : undefined,
    line_offset: (child?.sourceCodeLocation?.startLine ?? 1) - 1,
    is_module: readAttribute(element, 'type') === 'module',
  }
}
