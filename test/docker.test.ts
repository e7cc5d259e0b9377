import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Service {
  build: { context: string; dockerfile: string }
  user?: string
  environment?: Record<string, string>
  ports?: string[]
  volumes: string[]
  healthcheck?: { test: string[] }
  depends_on?: string[]
  profiles?: string[]
}
const compose = parse(read('docker-compose.yml')) as {
  services: Record<string, Service>
  volumes: object
}
const daemon = compose.services['apprentice']

test('the compose file has the daemon, an adb server and a profile of device hosts, each with a Dockerfile that exists', () => {
  expect(Object.keys(compose.services)).toEqual(['apprentice', 'adb', 'redis', 'host'])
  for (const { build } of Object.values(compose.services)) {
    expect(existsSync(join(root, build.context, build.dockerfile))).toBe(true)
  }
})

test('the daemon runs as an ordinary user, on loopback, with a health check that needs no token', () => {
  expect(daemon?.user).toBe('node')
  expect(daemon?.ports).toEqual(['127.0.0.1:4870:4870'])
  expect(daemon?.healthcheck?.test.join(' ')).toContain('/healthz')
  const stages = read('.docker/Dockerfile').split(/^FROM /m)
  expect(stages.at(-1)).toMatch(/^USER node$/m)
  expect(read('.docker/adb.Dockerfile')).toMatch(/^USER adb$/m)
})

test('the home is on the only named volume of the daemon', () => {
  expect(daemon?.volumes).toEqual(['apprentice-data:/data'])
  expect(daemon?.environment?.['APPRENTICE_HOME']).toBe('/data')
  expect(Object.keys(compose.volumes)).toContain('apprentice-data')
})

test('device hosts start with their profile only, and Redis writes to the disk before it confirms', () => {
  const profiled = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined)
  expect(profiled.map(([name, { profiles }]) => [name, profiles])).toEqual([
    ['redis', ['hosts']],
    ['host', ['hosts']],
  ])
  const image = read('.docker/redis.Dockerfile')
  for (const option of ['--appendonly yes', '--appendfsync always', '--maxmemory-policy noeviction']) {
    expect(image.replaceAll('", "', ' ')).toContain(option)
  }
  const known = read('src/config/config.ts')
  for (const name of Object.keys(compose.services['host']?.environment ?? {})) expect(known).toContain(name)
})

test('every variable it sets is one the daemon reads, and names the adb service', () => {
  const known = read('src/config/config.ts')
  for (const name of Object.keys(daemon?.environment ?? {})) expect(known).toContain(`${name}: z`)
  expect(daemon?.environment?.['ADB_SERVER_SOCKET']).toBe('tcp:adb:5037')
  expect(daemon?.depends_on).toEqual(['adb'])
})

test('the image has every file of the package, and each exists or is built', () => {
  const copied = [...read('.docker/Dockerfile').matchAll(/^COPY --from=build \S+ \/app\/(\S+) /gm)].map(
    ([, path = '']) => path,
  )
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const documents = ['memory-store/README.md']
  expect(copied).toEqual(expect.arrayContaining(files.filter((path) => !documents.includes(path))))
  const built = ['dist', 'node_modules']
  expect(copied.filter((path) => !built.includes(path) && !existsSync(join(root, path)))).toEqual([])
})

test('the image compiles against its own Node headers and has the command on its PATH', () => {
  const [, build = '', image = ''] = read('.docker/Dockerfile').split(/^FROM /m)
  expect(build).toMatch(/^ENV npm_config_nodedir=\/usr\/local$/m)
  expect(image).toContain('ln -s /app/dist/main.js /usr/local/bin/apprentice')
  expect(image).toMatch(/^CMD \["apprentice", "serve"\]$/m)
})
