import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { adminToken } from '../kit/daemon.ts'
import type { ToolServer } from './tool-server.ts'

/** A home on which daemons are started and killed. */
export async function openHome(env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-kill-'))
  let program: Program | undefined
  let url = ''
  onTestFinished(async () => {
    await program?.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })
  const request = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (await reply.json()) as T
  }
  return {
    home,
    start: async (): Promise<void> => {
      program = startProgram([daemonProgram, 'serve'], { ...buildDaemonEnv(home, adminToken), ...env })
      url = String((await program.firstLine)['url'])
    },
    kill: async (): Promise<unknown> => program?.end('SIGKILL'),
    /** Resolves when the daemon has ended by itself. */
    ended: async (): Promise<unknown> => program?.ended,
    get: <T>(path: string) => request<T>('GET', path),
    post: <T>(path: string, body: object = {}) => request<T>('POST', path, body),
    upload: async <T>(path: string, form: FormData): Promise<T> => {
      const headers = { authorization: `Bearer ${adminToken}` }
      return (await (await fetch(`${url}${path}`, { method: 'POST', headers, body: form })).json()) as T
    },
    getUrl: () => url,
  }
}

export type KilledHome = Awaited<ReturnType<typeof openHome>>

export async function register({ post }: KilledHome, remote: ToolServer, more: object = {}): Promise<string> {
  const made = await post<{ server: { registry: { server_id: string } } }>('/api/mcp/servers/register', {
    provider: 'custom_remote',
    display_name: 'Notes',
    transport: 'remote_http',
    endpoint_url: remote.url,
    supported_tools: ['write_note'],
    ...more,
  })
  return made.server.registry.server_id
}
