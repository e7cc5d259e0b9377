import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { listSessions } from '@apprentice/contracts/learn/sessions.ts'

// Answers with one page from memory, with the reply schema of the daemon.
const [, , file = ''] = process.argv
const page: unknown = JSON.parse(readFileSync(file, 'utf8'))

const app = Fastify()
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)
app.route({
  method: listSessions.method,
  url: listSessions.url,
  schema: { querystring: listSessions.query, response: { 200: listSessions.reply } },
  handler: () => page,
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
