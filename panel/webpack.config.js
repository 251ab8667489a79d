// Without this the number of a module follows from its path, and a build in another folder makes other bytes.
module.exports = { optimization: { moduleIds: 'natural', chunkIds: 'natural' } };
