import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { countBytes, type Exchange, NOTE, NOTES_APP } from './mcp-task.ts'

/** The version whose replies were measured. */
export const MOBILE_MCP = '@mobilenext/mobile-mcp@1.0.4'

/** Installs the program below the folder, once. It is no dependency, because only this comparison needs it. */
export function installMobileMcp(folder: string): string {
  const program = join(folder, 'node_modules', '@mobilenext', 'mobile-mcp', 'lib', 'index.js')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', MOBILE_MCP]
    execFileSync('npm', args, { stdio: 'ignore' })
  }
  return program
}

/** Writes the note with mobile-mcp: it lists the elements after each change of the screen, as its description says. */
export async function performWithMobileMcp(
  program: string,
  { serial, adbPort }: { readonly serial: string; readonly adbPort: number },
): Promise<readonly Exchange[]> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const env = {
    PATH: process.env['PATH'] ?? '',
    ANDROID_ADB_SERVER_PORT: String(adbPort),
    // Its default installs a program on the phone. This way it uses adb alone.
    MOBILEMCP_LEGACY_ROBOT: '1',
    MOBILEMCP_DISABLE_TELEMETRY: '1',
  }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: 'ignore' }))
  const exchanges: Exchange[] = []
  const call = async (tool: string, more: Record<string, unknown> = {}): Promise<string> => {
    const params = { name: `mobile_${tool}`, arguments: { device: serial, ...more } }
    const result = await client.callTool(params)
    exchanges.push({ tool, bytes: countBytes(params, result) })
    const [first] = result.content
    const text = first?.type === 'text' ? first.text : ''
    if (result.isError === true) throw new Error(`${tool}: ${text}`)
    return text
  }
  const list = () => call('list_elements_on_screen')
  const click = (screen: string, words: string) => call('click_on_screen_at_coordinates', findCenter(screen, words))
  try {
    await call('launch_app', { packageName: NOTES_APP })
    await click(await list(), 'New note')
    const editor = await list()
    await click(editor, 'title')
    await call('type_keys', { text: NOTE.title, submit: false })
    await click(editor, 'body')
    await call('type_keys', { text: NOTE.body, submit: false })
    await click(editor, 'Save')
    if (!(await list()).includes(NOTE.title)) throw new Error('The note is not in the list.')
  } finally {
    await client.close()
  }
  return exchanges
}

/** The middle of the element whose line contains the words. */
function findCenter(screen: string, words: string): { x: number; y: number } {
  const line = screen.split('\n').find((one) => one.toLowerCase().includes(words.toLowerCase())) ?? ''
  const [, x, y, width, height] = /at=(\d+),(\d+) size=(\d+)x(\d+)/.exec(line)?.map(Number) ?? []
  if (x === undefined || y === undefined || width === undefined || height === undefined) {
    throw new Error(`No element contains ${words}:\n${screen}`)
  }
  return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) }
}
