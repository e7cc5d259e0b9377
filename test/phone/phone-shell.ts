import { SaxesParser } from 'saxes'
import { createManualClock, createPhone, type ManualClock, type Phone } from '@apprentice/phone/phone.ts'
import type { PhoneOptions } from '@apprentice/phone/phone.ts'

export const START_MS = Date.UTC(2024, 9, 21, 9, 30)

/** A phone with a manual clock. Time advances by `clock.advance` and by commands that sleep. */
export function manualPhone(options: PhoneOptions = {}): { phone: Phone; clock: ManualClock } {
  const clock = createManualClock(START_MS)
  return { phone: createPhone({ clock, ...options }), clock }
}

export interface ShellResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}

export interface RunOptions {
  readonly stdin?: string | AsyncIterable<Buffer>
  readonly signal?: AbortSignal
}

export async function run(phone: Phone, command: string, options: RunOptions = {}): Promise<ShellResult> {
  const out: Buffer[] = []
  const errors: Buffer[] = []
  const { stdin = '' } = options
  const code = await phone.run(command, {
    stdout: (chunk) => out.push(chunk),
    stderr: (chunk) => errors.push(chunk),
    stdin: typeof stdin === 'string' ? toChunks(stdin) : stdin,
    signal: options.signal ?? new AbortController().signal,
  })
  const bytes = Buffer.concat(out)
  return { code, stdout: bytes.toString(), stderr: Buffer.concat(errors).toString(), bytes }
}

async function* toChunks(text: string): AsyncGenerator<Buffer> {
  if (text !== '') yield await Promise.resolve(Buffer.from(text))
}

/** A node of a dump, with its attributes and parsed bounds. */
export interface DumpNode {
  readonly attributes: Readonly<Record<string, string>>
  readonly depth: number
  readonly box: {
    readonly left: number
    readonly top: number
    readonly right: number
    readonly bottom: number
  }
}

export async function dumpXml(phone: Phone): Promise<string> {
  const { stdout } = await run(phone, 'uiautomator dump /dev/tty')
  return stdout.slice(0, stdout.indexOf('UI hierchary'))
}

export async function dump(phone: Phone): Promise<DumpNode[]> {
  return parseDump(await dumpXml(phone))
}

export function parseDump(xml: string): DumpNode[] {
  const nodes: DumpNode[] = []
  const parser = new SaxesParser()
  let depth = 0
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'node') nodes.push({ attributes, depth, box: parseBounds(attributes['bounds'] ?? '') })
    depth += 1
  })
  parser.on('closetag', () => {
    depth -= 1
  })
  parser.write(xml).close()
  return nodes
}

function parseBounds(bounds: string): DumpNode['box'] {
  const [left = 0, top = 0, right = 0, bottom = 0] = (bounds.match(/\d+/g) ?? []).map(Number)
  return { left, top, right, bottom }
}

export async function texts(phone: Phone): Promise<string[]> {
  return (await dump(phone)).map((node) => node.attributes['text'] ?? '').filter((text) => text !== '')
}

/** Finds a node by text, description or resource id. Throws if there is none. */
export async function find(phone: Phone, name: string): Promise<DumpNode> {
  const nodes = await dump(phone)
  const found = nodes.find(
    ({ attributes }) =>
      attributes['text'] === name ||
      attributes['content-desc'] === name ||
      attributes['resource-id'] === name ||
      (attributes['resource-id'] ?? '').endsWith(`:id/${name}`),
  )
  if (found !== undefined) return found
  const seen = nodes.map(({ attributes }) => attributes['text'] || attributes['content-desc'])
  throw new Error(`no node "${name}" among ${seen.filter(Boolean).join(' | ')}`)
}

export function centre({ box }: DumpNode): readonly [number, number] {
  return [Math.floor((box.left + box.right) / 2), Math.floor((box.top + box.bottom) / 2)]
}

/** Taps the center of a node of the dump. */
export async function tap(phone: Phone, name: string): Promise<void> {
  const [x, y] = centre(await find(phone, name))
  const { code } = await run(phone, `input tap ${x} ${y}`)
  if (code !== 0) throw new Error(`tap on "${name}" failed`)
}

export async function type(phone: Phone, name: string, text: string): Promise<void> {
  await tap(phone, name)
  await run(phone, `input text '${text.replaceAll("'", String.raw`'\''`).replaceAll(' ', '%s')}'`)
}

export async function launch(phone: Phone, packageName: string): Promise<void> {
  const { stdout } = await run(phone, `am start -W -p ${packageName}`)
  if (!stdout.includes('Status: ok')) throw new Error(`${packageName} did not start: ${stdout}`)
  // Longer than every loading screen of the shipped apps.
  await run(phone, 'sleep 2')
}

/** Swipes up until a node with this text is in the dump. Throws after 20 swipes. */
export async function scrollTo(phone: Phone, name: string): Promise<DumpNode> {
  for (let swipes = 0; swipes < 20; swipes += 1) {
    const seen = await texts(phone)
    if (seen.includes(name)) return find(phone, name)
    await run(phone, 'input swipe 540 1600 540 900 250')
  }
  throw new Error(`"${name}" is not in the list`)
}
