// Prints the packages that the program runs with, in CycloneDX form. npm knows versions, licences and hashes, but with
// `--omit dev` it also leaves out packages that are needed both to run and to develop; so they are chosen here.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const needed = new Set(
  Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
)

const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(1)
}
const bom = JSON.parse(stdout)
const components = bom.components.filter(({ 'bom-ref': ref }) => needed.has(ref))
const refs = new Set([bom.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])])
const dependencies = bom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }))
process.stdout.write(`${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`)
