// Loaded before the program. When it ends, this prints the packages that it has loaded.
process.on('exit', () => {
  const files = Object.keys(require.cache)
  process.stderr.write(`loaded: ${JSON.stringify(files.filter((file) => file.includes('@opentelemetry')))}\n`)
})
