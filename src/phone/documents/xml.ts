/** An element of an XML document. Text between elements is not kept: UI trees have none. */
export interface XmlElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
}

const TOKEN =
  /\s*(?:<\?[^]*?\?>|<!--[^]*?-->|<\/(?<end>[\w:.$-]+)\s*>|<(?<start>[\w:.$-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?<empty>\/?)>)\s*/y
const ATTRIBUTE = /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
}

/** Parses the XML of a UI tree. Throws an Error that names the line. */
export function parseXml(source: string): XmlElement {
  const text = source.replace(/^\uFEFF/, '').trim()
  const top: OpenElement = { tag: '', attributes: {}, children: [] }
  const open = [top]
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined) throw createXmlError(text, at, `unexpected "${text.slice(at, at + 20)}"`)
    const { end, start, attributes = '', empty } = groups
    if (end !== undefined) {
      if (open.length === 1 || open.pop()?.tag !== end) throw createXmlError(text, at, `unexpected "</${end}>"`)
    } else if (start !== undefined) {
      const element = { tag: start, attributes: parseAttributes(attributes), children: [] }
      open.at(-1)?.children.push(element)
      if (empty === '') open.push(element)
    }
  }
  if (open.length > 1) throw createXmlError(text, text.length, `"<${open.at(-1)?.tag ?? ''}>" is not closed`)
  const [root] = top.children
  if (root === undefined) throw createXmlError(text, 0, 'there is no element')
  return root
}

function createXmlError(text: string, at: number, problem: string): Error {
  return new Error(`${problem} in line ${text.slice(0, at).split('\n').length} of the XML`)
}

function parseAttributes(source: string): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [, name = '', double, single] of source.matchAll(ATTRIBUTE)) {
    attributes[name] = decodeEntities(double ?? single ?? '')
  }
  return attributes
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(value: string): string {
  return value.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return toCharacter(Number.parseInt(String(hex), 16), whole)
    if (decimal !== undefined) return toCharacter(Number(decimal), whole)
    return ENTITIES[String(name)] ?? whole
  })
}

function toCharacter(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : otherwise
}
