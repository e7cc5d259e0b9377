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
}
const compose = parse(read('docker-compose.yml')) as {
  services: Record<string, Service>
  volumes: object
}
const daemon = compose.services['apprentice']

test('the compose file has the daemon and an adb server, each with a Dockerfile that exists', () => {
  expect(Object.keys(compose.services)).toEqual(['apprentice', 'adb'])
  for (const { build } of Object.values(compose.services)) {
    expect(existsSync(join(root, build.context, build.dockerfile))).toBe(true)
  }
})

test('the daemon runs as an ordinary user, on loopback, with a health check on an open route', () => {
  expect(daemon?.user).toBe('node')
  expect(daemon?.ports).toEqual(['127.0.0.1:4870:4870'])
  expect(daemon?.healthcheck?.test.join(' ')).toContain('/healthz')
  const stages = read('.docker/Dockerfile').split(/^FROM /m)
  expect(stages.at(-1)).toMatch(/^USER node$/m)
  expect(read('.docker/adb.Dockerfile')).toMatch(/^USER adb$/m)
})

test('what must last is on one named volume, and that is where the home is', () => {
  expect(daemon?.volumes).toEqual(['apprentice-data:/data'])
  expect(daemon?.environment?.['APPRENTICE_HOME']).toBe('/data')
  expect(Object.keys(compose.volumes)).toContain('apprentice-data')
})

test('every variable it sets is one the daemon reads, and the adb server is where it says', () => {
  const known = read('src/config/config.ts')
  for (const name of Object.keys(daemon?.environment ?? {})) expect(known).toContain(`${name}: z`)
  expect(daemon?.environment?.['ADB_SERVER_SOCKET']).toBe('tcp:adb:5037')
  expect(daemon?.depends_on).toEqual(['adb'])
})

test('every file the image copies from the build exists in the tree or is made by the build', () => {
  const copied = [
    ...read('.docker/Dockerfile').matchAll(/^COPY --from=build \S+ \/app\/(\S+) /gm),
  ].map((m) => m[1] ?? '')
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  // A checkout's home, and what sets a checkout up.
  const ofCheckouts = ['memory-store', 'src/setup']
  expect(copied).toEqual(
    expect.arrayContaining(files.filter((path) => !ofCheckouts.includes(path))),
  )
  const made = ['dist', 'node_modules']
  expect(copied.filter((path) => !made.includes(path) && !existsSync(join(root, path)))).toEqual([])
})
