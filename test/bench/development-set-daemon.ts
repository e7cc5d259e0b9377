import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import type { Phone } from '@apprentice/phone/phone.ts'
import { readConfig } from '../../src/config/config.ts'
import { startSystem } from '../../src/daemon/system.ts'
import { buildApp } from '../../src/server/app.ts'
import { copyApp } from '../apps/app-files.ts'
import { startQuickPhone } from '../kit/quick-phone.ts'
import { copyTemplateDatabase } from '../kit/template-database.ts'
import { BENCH_TOKEN, createHome, getDatabasePath } from './home.ts'

/** A request was refused. */
export class Refusal extends Error {
  readonly code: string

  constructor(url: string, code: string, message: string) {
    super(`${url}: ${code}: ${message}`)
    this.code = code
  }
}

/** A daemon with a simulated phone on which one more app is installed. */
export interface AppDaemon {
  readonly phone: Phone
  /** Sends a request. Throws a `Refusal` if the reply is an error. */
  get<T>(url: string): Promise<T>
  post<T>(url: string, body?: object): Promise<T>
  delete(url: string): Promise<void>
  /** Lets time pass on the phone. */
  readonly wait: (ms: number) => Promise<void>
  stop(): Promise<void>
}

/** With `quick`, executions on the phone wait without taking time. */
export async function startAppDaemon(documentFile: string, { quick }: { quick: boolean }): Promise<AppDaemon> {
  const home = createHome()
  const appsFolder = join(home, 'apps')
  mkdirSync(appsFolder)
  copyApp(documentFile, appsFolder)
  copyTemplateDatabase(getDatabasePath(home))
  const config = readConfig({
    APPRENTICE_HOME: home,
    APPRENTICE_LOG: 'silent',
    APPRENTICE_TOKEN: BENCH_TOKEN,
    APPRENTICE_SYNC: 'normal',
    APPRENTICE_PHONE: 'simulated',
    APPRENTICE_SIM_APPS: appsFolder,
  })
  const given = quick ? await startQuickPhone(appsFolder) : undefined
  const { phone: ownPhone, engineClock, wait = (ms: number) => sleep(ms) } = given ?? {}
  const log = pino({ level: 'silent' })
  const system = await startSystem(config, { log, sweeping: false, phone: ownPhone, engineClock })
  const app = await buildApp(system)
  const { simulated: phone } = system.devices.phone
  if (phone === undefined) throw new Error('The daemon has no simulated phone.')

  const request = async <T>(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => {
    const headers = { host: '127.0.0.1', authorization: `Bearer ${BENCH_TOKEN}` }
    const payload = body === undefined ? {} : { payload: body }
    const reply = await app.inject({ method, url, headers, ...payload })
    if (reply.statusCode < 300) return reply.json<T>()
    const { error } = reply.json<{ error: { code: string; message: string } }>()
    throw new Refusal(url, error.code, error.message)
  }
  return {
    phone,
    get: (url) => request('GET', url),
    post: (url, body = {}) => request('POST', url, body),
    delete: async (url) => void (await request('DELETE', url)),
    wait,
    stop: async () => {
      system.stopping = true
      system.hub.close()
      await app.close()
      await system.stop()
      await ownPhone?.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
