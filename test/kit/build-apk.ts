import { once } from 'node:events'
import { Writable } from 'node:stream'
import { ZipFile } from 'yazl'

/** What the manifest of a built APK says. */
export interface ApkOptions {
  readonly packageName: string
  readonly versionCode?: number
  readonly versionName?: string
  readonly label?: string
  /** The label is kept in the resources, in two languages; the manifest refers to it. */
  readonly labelInResources?: boolean
  readonly minSdk?: number
  readonly testOnly?: boolean
  readonly launcherActivity?: string
  readonly instrumentation?: string
  readonly inputMethod?: string
}

interface Attribute {
  readonly name: string
  readonly value: string | number | boolean | { readonly reference: number }
}

interface Element {
  readonly name: string
  readonly attributes: readonly Attribute[]
  readonly children: readonly Element[]
}

const IDS: Readonly<Record<string, number>> = {
  label: 0x01010001,
  name: 0x01010003,
  permission: 0x01010006,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  testOnly: 0x01010272,
}
const LABEL_ID = 0x7f020001
const NONE = 0xffffffff

/** Builds an unsigned APK: a zip file with a binary manifest, as the tools of Android write it. */
export function buildApk(options: ApkOptions): Promise<Buffer> {
  const { label = options.packageName } = options
  return zip({
    'AndroidManifest.xml': encodeXml(describeManifest(options)),
    'classes.dex': Buffer.from('dex\n035\0'),
    'resources.arsc': encodeResources([`${label} (German)`, label]),
  })
}

function describeManifest(options: ApkOptions): Element {
  const { packageName, label = packageName, launcherActivity, instrumentation, inputMethod } = options
  const labelValue = options.labelInResources === true ? { reference: LABEL_ID } : label
  const application = element('application', { label: labelValue, testOnly: options.testOnly ?? false }, [
    ...(launcherActivity === undefined ? [] : [describeLauncher(launcherActivity)]),
    ...(inputMethod === undefined
      ? []
      : [element('service', { name: inputMethod, permission: 'android.permission.BIND_INPUT_METHOD' })]),
  ])
  const { versionCode = 1, versionName = '1.0', minSdk = 23 } = options
  return element('manifest', { versionCode, versionName, package: packageName }, [
    element('uses-sdk', { minSdkVersion: minSdk }),
    ...(instrumentation === undefined ? [] : [element('instrumentation', { name: instrumentation })]),
    application,
  ])
}

function describeLauncher(name: string): Element {
  return element('activity', { name }, [
    element('intent-filter', {}, [
      element('action', { name: 'android.intent.action.MAIN' }),
      element('category', { name: 'android.intent.category.LAUNCHER' }),
    ]),
  ])
}

function element(name: string, values: Record<string, Attribute['value']>, children: Element[] = []): Element {
  return { name, attributes: Object.entries(values).map(([key, value]) => ({ name: key, value })), children }
}

function encodeXml(root: Element): Buffer {
  // The pool begins with the names that have numbers, in the order of the numbers.
  const strings = Object.keys(IDS)
  const indexOf = (text: string): number => {
    if (!strings.includes(text)) strings.push(text)
    return strings.indexOf(text)
  }
  const body = Buffer.concat(encodeElement(root, indexOf))
  const ids = chunk(0x0180, 8, words(...Object.values(IDS)))
  return chunk(0x0003, 8, Buffer.concat([encodeStrings(strings), ids, body]))
}

function encodeElement(node: Element, indexOf: (text: string) => number): Buffer[] {
  const attributes = node.attributes.map(({ name, value }) => {
    const [type, data] = encodeValue(value, indexOf)
    const raw = typeof value === 'string' ? data : NONE
    return Buffer.concat([words(NONE, indexOf(name), raw), Buffer.of(8, 0, 0, type), words(data)])
  })
  const counts = Buffer.alloc(12)
  for (const [at, value] of [20, 20, attributes.length].entries()) counts.writeUInt16LE(value, 2 * at)
  const name = words(NONE, indexOf(node.name))
  const start = chunk(0x0102, 16, Buffer.concat([words(1, NONE), name, counts, ...attributes]))
  const end = chunk(0x0103, 16, Buffer.concat([words(1, NONE), name]))
  return [start, ...node.children.flatMap((child) => encodeElement(child, indexOf)), end]
}

function encodeValue(value: Attribute['value'], indexOf: (text: string) => number): readonly [number, number] {
  if (typeof value === 'string') return [0x03, indexOf(value)]
  if (typeof value === 'number') return [0x10, value]
  return typeof value === 'boolean' ? [0x12, value ? NONE : 0] : [0x01, value.reference]
}

/** Resources with one string, first for German, then for all languages. */
function encodeResources([german = '', other = '']: readonly string[]): Buffer {
  const name = Buffer.alloc(256)
  const type = (language: string, index: number): Buffer => {
    const config = Buffer.alloc(64)
    config.writeUInt32LE(64)
    config.write(language, 8, 'latin1')
    const entries = Buffer.concat([
      words(NONE, 0),
      Buffer.of(8, 0, 0, 0),
      words(0),
      Buffer.of(8, 0, 0, 0x03),
      words(index),
    ])
    return chunk(0x0201, 84, Buffer.concat([Buffer.of(2, 0, 0, 0), words(2, 92), config, entries]))
  }
  const header = Buffer.concat([words(0x7f), name, words(0, 0, 0, 0, 0)])
  const pack = chunk(0x0200, 288, Buffer.concat([header, type('de', 0), type('', 1)]))
  return chunk(0x0002, 12, Buffer.concat([words(1), encodeStrings([german, other], true), pack]))
}

function encodeStrings(strings: readonly string[], isUtf8 = false): Buffer {
  const encoded = strings.map((text) => {
    const bytes = Buffer.from(text, isUtf8 ? 'utf8' : 'utf16le')
    const head = isUtf8 ? Buffer.of(text.length, bytes.length) : Buffer.of(text.length & 0xff, text.length >> 8)
    return Buffer.concat([head, bytes, Buffer.alloc(isUtf8 ? 1 : 2)])
  })
  let at = 0
  const offsets = encoded.map(({ length }) => (at += length) - length)
  const padding = Buffer.alloc((4 - (at % 4)) % 4)
  const start = 28 + 4 * strings.length
  const header = words(strings.length, 0, isUtf8 ? 0x100 : 0, start, 0, ...offsets)
  return chunk(0x0001, 28, Buffer.concat([header, ...encoded, padding]))
}

/** A chunk. `content` is the rest of the header and what follows it. */
function chunk(type: number, headerBytes: number, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.of(type & 0xff, type >> 8, headerBytes & 0xff, headerBytes >> 8),
    words(8 + content.length),
    content,
  ])
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, 4 * at)
  return bytes
}

async function zip(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const file = new ZipFile()
  for (const [name, data] of Object.entries(files)) file.addBuffer(data, name)
  const chunks: Buffer[] = []
  const sink = new Writable({
    write: (part: Buffer, _encoding, done) => {
      chunks.push(part)
      done()
    },
  })
  file.outputStream.pipe(sink)
  file.end()
  await once(sink, 'finish')
  return Buffer.concat(chunks)
}
