// The conformance suite imports `globSync` of `fs`, which Node 20 lacks, for a command that is not used here.
import { register } from 'node:module'

const SOURCE = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = undefined"
const ADDRESS = `data:text/javascript,${encodeURIComponent(SOURCE)}`

register(
  `data:text/javascript,${encodeURIComponent(`
export async function resolve(specifier, context, next) {
  return specifier === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(ADDRESS)}, shortCircuit: true }
    : next(specifier, context)
}`)}`,
)
