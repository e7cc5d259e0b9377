import { CHUNK, listChunks, readStringPool, readValue, type Chunk, type Value } from './chunks.ts'

export interface XmlAttribute {
  readonly name: string
  /** The number of the attribute in Android's resources; 0 if it has none. Its name may be missing. */
  readonly id: number
  readonly value: Value
  /** The text of a value that is a string. */
  readonly text: string | undefined
}

export interface XmlElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
}

interface Names {
  strings: readonly string[]
  ids: readonly number[]
}

/** Parses an XML file of an APK. Undefined if it is not one. Namespaces are ignored. */
export function parseBinaryXml(bytes: Buffer): XmlElement | undefined {
  const [file] = listChunks(bytes, 0)
  if (file?.type !== CHUNK.xml) return undefined
  const names: Names = { strings: [], ids: [] }
  const open: OpenElement[] = []
  for (const chunk of listChunks(file.bytes, file.headerBytes)) {
    if (chunk.type === CHUNK.stringPool) names.strings = readStringPool(chunk)
    else if (chunk.type === CHUNK.attributeIds) names.ids = readIds(chunk)
    else if (chunk.type === CHUNK.element) {
      const element = readElement(chunk, names)
      open.at(-1)?.children.push(element)
      open.push(element)
    } else if (chunk.type === CHUNK.endElement) {
      const closed = open.pop()
      if (open.length === 0) return closed
    }
  }
  return undefined
}

function readIds({ bytes, headerBytes }: Chunk): readonly number[] {
  const count = (bytes.length - headerBytes) >> 2
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(headerBytes + 4 * index))
}

const ATTRIBUTE_BYTES = 20

function readElement({ bytes, headerBytes }: Chunk, { strings, ids }: Names): OpenElement {
  const first = headerBytes + bytes.readUInt16LE(headerBytes + 8)
  const count = bytes.readUInt16LE(headerBytes + 12)
  const attributes = Array.from({ length: count }, (_, index): XmlAttribute => {
    const at = first + ATTRIBUTE_BYTES * index
    const name = bytes.readUInt32LE(at + 4)
    const text = strings[bytes.readUInt32LE(at + 8)]
    return { name: strings[name] ?? '', id: ids[name] ?? 0, value: readValue(bytes, at + 12), text }
  })
  return { name: strings[bytes.readUInt32LE(headerBytes + 4)] ?? '', attributes, children: [] }
}
